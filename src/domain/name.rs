//! Names that a broker or a database accepts: parsed once, valid for ever.
//!
//! Owns the length and character rules of AMQP short strings. Does not know which names a topology
//! uses; see [`super::template`].

use std::fmt;

/// The longest AMQP short string, in bytes (AMQP 0-9-1 section 4.2.5.3; T16: the client library panics
/// above it, so it is checked here, before anything is sent).
pub const SHORT_STRING_MAX: usize = 255;

/// A name of an exchange, queue, topology or consumer: 1 to 255 bytes, no control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Why a text is not a [`Name`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is empty.
    #[error("a name must not be empty")]
    Empty,
    /// More than [`SHORT_STRING_MAX`] bytes.
    #[error("a name has at most 255 bytes, this one has {0}")]
    TooLong(usize),
    /// A control character such as a newline or NUL.
    #[error("a name must not contain control characters")]
    Control,
    /// RabbitMQ reserves the prefix `amq.` for its own objects and answers 403.
    #[error("names beginning with \"amq.\" are reserved by the broker")]
    Reserved,
}

impl Name {
    /// Checks `text` and keeps it byte for byte.
    ///
    /// # Errors
    /// Says which rule the text breaks.
    pub fn new(text: impl Into<String>) -> Result<Self, Error> {
        let text = text.into();
        if text.is_empty() {
            return Err(Error::Empty);
        }
        if text.len() > SHORT_STRING_MAX {
            return Err(Error::TooLong(text.len()));
        }
        if text.chars().any(char::is_control) {
            return Err(Error::Control);
        }
        if text.starts_with("amq.") {
            return Err(Error::Reserved);
        }
        Ok(Self(text))
    }

    /// The name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}
