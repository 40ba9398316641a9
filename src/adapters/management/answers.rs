//! JSON answers of the management API, read into the domain's terms.
//!
//! Pure functions over text, so that recorded answers of several versions can be read in tests. Counts of
//! a queue that is younger than the statistics interval are missing, null or zero, depending on the version:
//! missing and null read as unknown.

pub mod health;
mod policies;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::domain::observed::{ExchangeDetails, ObservedBinding, QueueDetails, QueueStats, Value};

pub use policies::{default_queue_type, policies};

/// Columns that [`queues`] and [`known_stats`] need: keeps the answer small on a broker with many queues.
pub const QUEUE_COLUMNS: &str =
    "name,type,durable,auto_delete,exclusive,arguments,messages_ready,messages_unacknowledged,consumers";

/// Columns that [`stats`] needs.
pub const STATS_COLUMNS: &str =
    "name,messages_ready,messages_unacknowledged,consumers,single_active_consumer_tag";

/// Product and version of `/overview`.
///
/// # Errors
/// No such JSON.
pub fn version(body: &str) -> Result<Option<String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Overview {
        #[serde(default)]
        product_name: Option<String>,
        #[serde(default)]
        product_version: Option<String>,
        #[serde(default)]
        rabbitmq_version: Option<String>,
    }
    let overview: Overview = serde_json::from_str(body)?;
    let product = overview.product_name.unwrap_or_else(|| "RabbitMQ".to_owned());
    let version = overview.product_version.or(overview.rabbitmq_version);
    Ok(version.map(|version| format!("{product} {version}")))
}

/// One exchange, of `/exchanges/VHOST/NAME`.
///
/// # Errors
/// No such JSON.
pub fn exchange(body: &str) -> Result<ExchangeDetails, serde_json::Error> {
    #[derive(Deserialize)]
    struct Exchange {
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(default)]
        durable: Option<bool>,
        #[serde(default)]
        auto_delete: Option<bool>,
        #[serde(default)]
        internal: Option<bool>,
        #[serde(default)]
        arguments: Json,
    }
    let exchange: Exchange = serde_json::from_str(body)?;
    Ok(ExchangeDetails {
        kind: exchange.kind.unwrap_or_default(),
        durable: exchange.durable.unwrap_or_default(),
        auto_delete: exchange.auto_delete.unwrap_or_default(),
        internal: exchange.internal.unwrap_or_default(),
        arguments: arguments(&exchange.arguments),
    })
}

/// Queues by name, of `/queues/VHOST`.
///
/// # Errors
/// No such JSON.
pub fn queues(body: &str) -> Result<BTreeMap<String, QueueDetails>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Queue {
        name: String,
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(default)]
        durable: Option<bool>,
        #[serde(default)]
        auto_delete: Option<bool>,
        #[serde(default)]
        exclusive: Option<bool>,
        #[serde(default)]
        arguments: Json,
    }
    let queues: Vec<Queue> = serde_json::from_str(body)?;
    let details = |queue: Queue| {
        let arguments = arguments(&queue.arguments);
        let given = match arguments.get("x-queue-type") {
            Some(Value::Text(kind)) => kind.clone(),
            _ => "classic".to_owned(),
        };
        let details = QueueDetails {
            // 4.x may name the module of a type that has no short name.
            kind: queue.kind.map_or(given, |kind| short_type(&kind)),
            durable: queue.durable.unwrap_or_default(),
            auto_delete: queue.auto_delete.unwrap_or_default(),
            exclusive: queue.exclusive.unwrap_or_default(),
            arguments,
        };
        (queue.name, details)
    };
    Ok(queues.into_iter().map(details).collect())
}

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

/// Bindings of `/bindings/VHOST`, those of the default exchange left out.
///
/// # Errors
/// No such JSON.
pub fn bindings(body: &str) -> Result<Vec<ObservedBinding>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Binding {
        #[serde(default)]
        source: String,
        #[serde(default)]
        destination: String,
        #[serde(default)]
        destination_type: Option<String>,
        #[serde(default)]
        routing_key: String,
        #[serde(default)]
        arguments: Json,
    }
    let bindings: Vec<Binding> = serde_json::from_str(body)?;
    let named = bindings.into_iter().filter(|binding| !binding.source.is_empty());
    Ok(named
        .map(|binding| ObservedBinding {
            source: binding.source,
            destination: binding.destination,
            to_queue: binding.destination_type.as_deref() != Some("exchange"),
            routing_key: binding.routing_key,
            has_arguments: !arguments(&binding.arguments).is_empty(),
        })
        .collect())
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

/// The reason in the body of an error.
pub(super) fn reason(body: &str) -> Option<String> {
    let json: Json = serde_json::from_str(body).ok()?;
    json.get("reason").or_else(|| json.get("error"))?.as_str().map(str::to_owned)
}

/// An empty table is written `{}` or `[]`.
fn arguments(json: &Json) -> BTreeMap<String, Value> {
    let table = json.as_object();
    table.into_iter().flatten().map(|(name, json)| (name.clone(), value(json))).collect()
}

fn value(json: &Json) -> Value {
    match json {
        Json::String(text) => Value::Text(text.clone()),
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Other(number.to_string()), Value::Integer)
        }
        Json::Null | Json::Array(_) | Json::Object(_) => Value::Other(json.to_string()),
    }
}

/// A count; negative, text such as `undefined` or absent: unknown.
fn count(json: &Json) -> Option<u64> {
    json.as_u64()
}

fn short_type(kind: &str) -> String {
    let kind = kind.strip_prefix("rabbit_").unwrap_or(kind);
    kind.strip_suffix("_queue").unwrap_or(kind).to_owned()
}
