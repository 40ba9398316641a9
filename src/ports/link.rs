//! Failures of a broker connection or channel, by what the caller can do about them.

use std::{error::Error as StdError, fmt};

/// What kind of failure it is; the flows branch on this, never on text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// Nobody answers at the address, or the name does not resolve.
    Unreachable,
    /// Authentication or permission refused: trying again will not help (T29).
    Refused,
    /// The vhost is missing or closed to this user.
    VhostMissing,
    /// TLS could not be set up.
    Tls,
    /// The exchange does not exist.
    ExchangeMissing,
    /// The queue does not exist, or was deleted while consumed.
    QueueMissing,
    /// An existing object differs from the declaration (406).
    Precondition,
    /// The connection or channel ended; what was in flight is unknown. Reconnect.
    Lost,
    /// The broker answered with an error that none of the above describes.
    Protocol,
}

impl LinkKind {
    /// Whether connecting again may help.
    #[must_use]
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::Unreachable | Self::Lost => true,
            Self::Refused
            | Self::VhostMissing
            | Self::Tls
            | Self::ExchangeMissing
            | Self::QueueMissing
            | Self::Precondition
            | Self::Protocol => false,
        }
    }
}

/// A failed connection, channel or request.
#[derive(Debug, thiserror::Error)]
pub struct LinkError {
    /// What the caller can do.
    pub kind: LinkKind,
    /// What was being done, with names; no secrets.
    pub text: String,
    /// The client library's or operating system's error.
    #[source]
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

impl LinkError {
    /// A failure without a deeper cause.
    #[must_use]
    pub fn new(kind: LinkKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), source: None }
    }

    /// A failure caused by `source`.
    #[must_use]
    pub fn because(
        kind: LinkKind,
        text: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { kind, text: text.into(), source: Some(source.into()) }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
