//! Counts of queues and the tags of their active consumers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::domain::observed::QueueStats;

/// Columns that [`stats`] needs.
pub const STATS_COLUMNS: &str =
    "name,messages_ready,messages_unacknowledged,consumers,single_active_consumer_tag";

/// Counts by queue, of `/queues/VHOST`; what is not told reads as none.
///
/// # Errors
/// No such JSON.
pub fn stats(body: &str) -> Result<BTreeMap<String, QueueStats>, serde_json::Error> {
    Ok(read_stats(body)?.map(|(name, _, stats)| (name, stats)).collect())
}

/// Counts of those queues whose messages were counted: none with the metrics collector off.
///
/// # Errors
/// No such JSON.
pub fn known_stats(body: &str) -> Result<BTreeMap<String, QueueStats>, serde_json::Error> {
    Ok(read_stats(body)?.filter(|(_, known, _)| *known).map(|(name, _, stats)| (name, stats)).collect())
}

/// Name, whether ready messages were counted, and the counts.
fn read_stats(
    body: &str,
) -> Result<impl Iterator<Item = (String, bool, QueueStats)> + use<>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Queue {
        name: String,
        #[serde(default)]
        messages_ready: Json,
        #[serde(default)]
        messages_unacknowledged: Json,
        #[serde(default)]
        consumers: Json,
        #[serde(default)]
        single_active_consumer_tag: Json,
    }
    let queues: Vec<Queue> = serde_json::from_str(body)?;
    Ok(queues.into_iter().map(|queue| {
        let ready = count(&queue.messages_ready);
        let stats = QueueStats {
            ready: ready.unwrap_or_default(),
            unacked: count(&queue.messages_unacknowledged),
            consumers: count(&queue.consumers).unwrap_or_default(),
            active_tag: queue.single_active_consumer_tag.as_str().map(str::to_owned),
        };
        (queue.name, ready.is_some(), stats)
    }))
}

/// Tags of the active consumers by queue, of `/consumers/VHOST`.
///
/// # Errors
/// No such JSON.
pub fn active_tags(body: &str) -> Result<BTreeMap<String, String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Consumer {
        #[serde(default)]
        queue: Json,
        #[serde(default)]
        consumer_tag: String,
        #[serde(default)]
        activity_status: Option<String>,
    }
    let consumers: Vec<Consumer> = serde_json::from_str(body)?;
    let active = consumers.into_iter().filter(|c| c.activity_status.as_deref() == Some("single_active"));
    Ok(active
        .filter_map(|consumer| {
            let queue = consumer.queue.get("name")?.as_str()?.to_owned();
            Some((queue, consumer.consumer_tag))
        })
        .collect())
}

/// A count; negative, text such as `undefined` or absent: unknown.
fn count(json: &Json) -> Option<u64> {
    json.as_u64()
}
