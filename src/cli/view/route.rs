//! Routes of keys, and the spread of a file's keys over the shards.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    count,
    style::{FAINT, STRONG, paint},
};

/// Where one key goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RouteRow {
    /// The key.
    pub key: String,
    /// 16 hex digits.
    pub hash: String,
    /// The shard.
    pub shard: u32,
    /// The routing key of that shard.
    pub routing_key: String,
    /// The queue of that shard by consumer.
    pub queues: BTreeMap<String, String>,
}

/// What a file's keys do to the shards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// Lines with a usable key.
    pub messages: u64,
    /// Lines without.
    pub invalid: u64,
    /// Different keys.
    pub keys: u64,
    /// By shard: messages and keys.
    pub shards: Vec<ShardSpread>,
    /// The keys with most messages, hottest first.
    pub hot_keys: Vec<HotKey>,
}

/// One shard's part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ShardSpread {
    /// The shard.
    pub shard: u32,
    /// Its messages.
    pub messages: u64,
    /// Its keys.
    pub keys: u64,
}

/// A key with many messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HotKey {
    /// The key.
    pub key: String,
    /// Its shard.
    pub shard: u32,
    /// Its messages.
    pub messages: u64,
}

/// Routes as text: a table, one row per key and consumer.
#[must_use]
pub fn text(rows: &[RouteRow]) -> String {
    let cells = rows.iter().flat_map(|row| {
        let start = [row.key.clone(), row.hash.clone(), row.shard.to_string(), row.routing_key.clone()];
        let queues: Vec<String> =
            if row.queues.is_empty() { vec![String::new()] } else { row.queues.values().cloned().collect() };
        queues.into_iter().enumerate().map(move |(index, queue)| {
            // The key's own columns stand in its first row only.
            let own = |text: &String| if index == 0 { text.clone() } else { String::new() };
            start.iter().map(own).chain([queue]).collect()
        })
    });
    super::table(&["key", "hash", "shard", "routing key", "queue"], cells)
}

/// Routes as JSON.
#[must_use]
pub fn json(rows: &[RouteRow]) -> String {
    super::json(&rows)
}

/// The spread as text.
#[must_use]
pub fn spread_text(spread: &Spread) -> String {
    let mut out = format!(
        "{} messages of {} keys over {} shards\n",
        paint(STRONG, count(spread.messages)),
        count(spread.keys),
        spread.shards.len()
    );
    if spread.invalid > 0 {
        out.push_str(&format!("{} lines without a usable key\n", count(spread.invalid)));
    }
    out.push('\n');
    let share = |messages: u64| percent(messages, spread.messages);
    let rows = spread
        .shards
        .iter()
        .map(|s| vec![s.shard.to_string(), count(s.messages), share(s.messages), count(s.keys)]);
    out.push_str(&super::table(&["shard", "messages", "share", "keys"], rows));
    let shards = u64::try_from(spread.shards.len()).unwrap_or(1).max(1);
    let fullest = spread.shards.iter().map(|s| s.messages).max().unwrap_or(0);
    if spread.messages > 0 {
        let even = spread.messages.div_ceil(shards);
        let text = format!("fullest shard: {} of an even share", percent(fullest, even));
        out.push_str(&format!("{}\n", paint(FAINT, text)));
    }
    if !spread.hot_keys.is_empty() {
        out.push('\n');
        let rows = spread
            .hot_keys
            .iter()
            .map(|h| vec![h.key.clone(), h.shard.to_string(), count(h.messages), share(h.messages)]);
        out.push_str(&super::table(&["hottest keys", "shard", "messages", "share"], rows));
    }
    out
}

/// The spread as JSON.
#[must_use]
pub fn spread_json(spread: &Spread) -> String {
    super::json(spread)
}

/// `part` of `whole`, with one decimal.
fn percent(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}
