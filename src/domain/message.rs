//! A delivery that was admitted to its shard: it has an id, a key, and the key belongs here.
//!
//! Admission believes the key, never the queue (T103): a message that a stray binding, a shovel or a
//! producer with another rule put here is found, not applied out of order in silence.
//!
//! Invariants: per-key-order, effect-once.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_128;

use super::{
    envelope::{HEADER_KEY, HEADER_PUBLISHED_AT, HEADER_SEQUENCE, HEADER_TRACEPARENT, HeaderValue, Incoming},
    key::{KeyError, OrderingKey},
    route::ShardMap,
};

/// One shard of one consumer in one generation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardId {
    /// The consumer's name.
    pub consumer: String,
    /// The generation.
    pub generation: u32,
    /// The shard, from 0.
    pub shard: u32,
}

/// An admitted message, as the claim, the handler and the log see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The dedup id.
    pub message_id: String,
    /// The ordering key.
    pub key: OrderingKey,
    /// AMQP `type`.
    pub event_type: Option<String>,
    /// AMQP `correlation_id`.
    pub correlation_id: Option<String>,
    /// `topo-sequence`.
    pub sequence: Option<i64>,
    /// `topo-published-at`, milliseconds since the Unix epoch.
    pub published_at_ms: Option<i64>,
    /// `traceparent`, as text.
    pub trace_id: Option<String>,
    /// The headers, for `:headers`.
    pub headers: BTreeMap<String, HeaderValue>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
    /// Digest of key and body: the same id with another digest is a conflict, not a duplicate (T97).
    pub digest: [u8; 16],
    /// Set by the broker; proves nothing.
    pub redelivered: bool,
}

/// Why a delivery is not admitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No `message_id` property (T98).
    #[error("the message has no message_id property")]
    NoId,
    /// No usable key in header or body.
    #[error("no ordering key: {0}")]
    Key(#[from] KeyError),
    /// The key belongs to another shard (T13, T33, T103).
    #[error("misrouted: key {key:?} belongs to shard {belongs}, it arrived on shard {arrived}")]
    Misrouted {
        /// The key.
        key: String,
        /// Where it should have gone.
        belongs: u32,
        /// Where it arrived.
        arrived: u32,
    },
}

/// Admits a delivery to `shard`. `key_in_body` is asked only when the `topo-key` header is absent.
///
/// # Errors
/// See [`Refusal`].
pub fn admit(
    incoming: &Incoming,
    shard: u32,
    map: &ShardMap,
    key_in_body: impl FnOnce(&Incoming) -> Result<OrderingKey, KeyError>,
) -> Result<Message, Refusal> {
    let message_id = incoming.message_id.clone().filter(|id| !id.is_empty()).ok_or(Refusal::NoId)?;
    let key = match incoming.headers.get(HEADER_KEY) {
        Some(value) => key_from_header(value)?,
        None => key_in_body(incoming)?,
    };
    let belongs = map.shard(key.as_str());
    if belongs != shard {
        return Err(Refusal::Misrouted { key: key.as_str().to_owned(), belongs, arrived: shard });
    }
    Ok(Message {
        digest: digest(&key, &incoming.body),
        message_id,
        key,
        event_type: incoming.event_type.clone(),
        correlation_id: incoming.correlation_id.clone(),
        sequence: integer(incoming, HEADER_SEQUENCE),
        published_at_ms: integer(incoming, HEADER_PUBLISHED_AT),
        trace_id: text(incoming, HEADER_TRACEPARENT),
        headers: incoming.headers.clone(),
        body: incoming.body.clone(),
        redelivered: incoming.redelivered,
    })
}

/// A key given as a header: a string, or an integer by its digits.
///
/// # Errors
/// Other header types and texts that are no key.
pub fn key_from_header(value: &HeaderValue) -> Result<OrderingKey, KeyError> {
    match value {
        HeaderValue::Text(text) => OrderingKey::new(text.clone()),
        HeaderValue::Integer(number) => OrderingKey::new(number.to_string()),
        HeaderValue::Other(_) => Err(KeyError::Kind("not a string or integer header")),
    }
}

/// Digest of key and body; the length keeps `("ab", "c")` and `("a", "bc")` apart.
#[must_use]
pub fn digest(key: &OrderingKey, body: &[u8]) -> [u8; 16] {
    let mut bytes = Vec::with_capacity(8 + key.as_str().len() + body.len());
    bytes.extend_from_slice(&u64::try_from(key.as_str().len()).unwrap_or(u64::MAX).to_be_bytes());
    bytes.extend_from_slice(key.as_str().as_bytes());
    bytes.extend_from_slice(body);
    xxh3_128(&bytes).to_be_bytes()
}

fn integer(incoming: &Incoming, header: &str) -> Option<i64> {
    match incoming.headers.get(header)? {
        HeaderValue::Integer(number) => Some(*number),
        HeaderValue::Text(text) => text.parse().ok(),
        HeaderValue::Other(_) => None,
    }
}

fn text(incoming: &Incoming, header: &str) -> Option<String> {
    match incoming.headers.get(header)? {
        HeaderValue::Text(text) => Some(text.clone()),
        HeaderValue::Integer(number) => Some(number.to_string()),
        HeaderValue::Other(_) => None,
    }
}
