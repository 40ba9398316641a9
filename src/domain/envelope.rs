//! The wire form of a message: properties and headers by name, free of any AMQP type.
//!
//! Any language can be a producer; the names here are the contract with it. Encoding into AMQP field
//! tables is the adapter's work.
//!
//! Never set from input: `expiration`, `priority`, `CC`, `BCC` and `x-*` headers (T17, T18, T19).

use std::collections::BTreeMap;

use super::{key::OrderingKey, name::SHORT_STRING_MAX};

/// Header with the ordering key.
pub const HEADER_KEY: &str = "topo-key";
/// Header with the generation the producer routed by.
pub const HEADER_GENERATION: &str = "topo-generation";
/// Header with the time of publishing, milliseconds since the Unix epoch.
pub const HEADER_PUBLISHED_AT: &str = "topo-published-at";
/// Header with the per-key sequence number, when the topology names one.
pub const HEADER_SEQUENCE: &str = "topo-sequence";
/// W3C trace context, passed through as text.
pub const HEADER_TRACEPARENT: &str = "traceparent";
/// `app_id` property of messages published by this tool.
pub const APP_ID: &str = "topo";

/// Depth of nested JSON arrays and objects beyond which a line is refused: databases refuse it later.
pub const JSON_DEPTH_MAX: usize = 128;

/// A header value, reduced to what matters to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// A string.
    Text(String),
    /// Any integer type.
    Integer(i64),
    /// Something else, described for display.
    Other(String),
}

/// A message before routing: what a producer hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// Fixed by the producer, kept across every resend (T102).
    pub message_id: String,
    /// The ordering key.
    pub key: OrderingKey,
    /// AMQP `type`.
    pub event_type: Option<String>,
    /// AMQP `correlation_id`.
    pub correlation_id: Option<String>,
    /// Per-key sequence number.
    pub sequence: Option<i64>,
    /// Time of the event, milliseconds since the Unix epoch; AMQP `timestamp` in seconds.
    pub occurred_at_ms: Option<i64>,
    /// Value for `traceparent`, or a bare trace id.
    pub trace_id: Option<String>,
    /// The body, byte for byte as read.
    pub body: Vec<u8>,
}

/// Why an envelope can't be sent; found before sending, so one bad line never closes the channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// A short-string property over 255 bytes (T16).
    #[error("{field} has {length} bytes; AMQP allows at most 255")]
    TooLong {
        /// The property.
        field: &'static str,
        /// Its length in bytes.
        length: usize,
    },
    /// A NUL in an identifier: PostgreSQL has no text with one, so its shard would wait for ever.
    #[error("{0} contains a NUL")]
    Nul(&'static str),
    /// An empty message id would make all such messages duplicates of each other (T98).
    #[error("the message id is empty")]
    EmptyId,
    /// The body exceeds `publish.max_body` (T15).
    #[error("the body has {length} bytes; publish.max_body allows {max}")]
    Body {
        /// Its length in bytes.
        length: u64,
        /// The configured limit.
        max: u64,
    },
}

impl Envelope {
    /// Checks what the broker or the client library would only refuse later.
    ///
    /// # Errors
    /// The first property that can't be sent.
    pub fn check(&self, max_body: u64) -> Result<(), EnvelopeError> {
        if self.message_id.is_empty() {
            return Err(EnvelopeError::EmptyId);
        }
        let short = [
            ("the message id", Some(self.message_id.as_str())),
            ("the event type", self.event_type.as_deref()),
            ("the correlation id", self.correlation_id.as_deref()),
        ];
        for (field, value) in short {
            let length = value.map_or(0, str::len);
            if length > SHORT_STRING_MAX {
                return Err(EnvelopeError::TooLong { field, length });
            }
            if value.is_some_and(|value| value.contains('\0')) {
                return Err(EnvelopeError::Nul(field));
            }
        }
        let length = u64::try_from(self.body.len()).unwrap_or(u64::MAX);
        if length > max_body {
            return Err(EnvelopeError::Body { length, max: max_body });
        }
        Ok(())
    }
}

/// A delivery as the broker handed it over, nothing checked yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Incoming {
    /// `message_id`, absent for careless producers.
    pub message_id: Option<String>,
    /// AMQP `type`.
    pub event_type: Option<String>,
    /// AMQP `correlation_id`.
    pub correlation_id: Option<String>,
    /// AMQP `timestamp`, seconds since the Unix epoch.
    pub timestamp: Option<u64>,
    /// AMQP `priority`; one that is set reorders on newer brokers (T18).
    pub priority: Option<u8>,
    /// AMQP `delivery_mode`; 1 is lost on restart (T25).
    pub delivery_mode: Option<u8>,
    /// All headers.
    pub headers: BTreeMap<String, HeaderValue>,
    /// The body.
    pub body: Vec<u8>,
    /// Set by the broker; proves nothing (T72).
    pub redelivered: bool,
}
