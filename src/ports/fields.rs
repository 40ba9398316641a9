//! Reading the configured fields out of a JSON body.

use std::fmt;

use crate::domain::key::{KeyError, OrderingKey};

/// The fields that a topology's pointers select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The ordering key; `None` when the key stands in a header.
    pub key: Option<OrderingKey>,
    /// The producer's message id; `None` when the topology configures none.
    pub id: Option<String>,
    /// The event type.
    pub event_type: Option<String>,
    /// The per-key sequence number.
    pub sequence: Option<i64>,
    /// Time of the event, milliseconds since the Unix epoch.
    pub occurred_at_ms: Option<i64>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// The trace id.
    pub trace_id: Option<String>,
}

/// Why a body can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// The configured pointer, when one field is at fault.
    pub pointer: Option<String>,
    /// What is wrong, fit to follow the pointer.
    pub text: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pointer {
            Some(pointer) => write!(f, "{pointer}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl std::error::Error for FieldError {}

/// Reads fields out of bodies, in one pass over the text.
pub trait FieldReader: Send + Sync {
    /// Reads every configured field of one input line or body and checks that the whole text is JSON.
    ///
    /// # Errors
    /// No JSON, nested too deep, a configured pointer twice, a key or id of the wrong kind or missing.
    fn read(&self, body: &[u8]) -> Result<Fields, FieldError>;

    /// Reads the key alone, for a delivery without a `topo-key` header.
    ///
    /// # Errors
    /// See [`KeyError`].
    fn key(&self, body: &[u8]) -> Result<OrderingKey, KeyError>;
}
