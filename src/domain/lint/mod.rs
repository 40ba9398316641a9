//! What would break the promise of an ordered shard: queue arguments and policies, judged without a broker.
//!
//! Owns the tables of what each queue type and version knows and what each key does to a shard. Does not
//! know which objects exist nor which policy matches which name; callers bring arguments and policies,
//! from topology.yaml, a live broker or an export.
//!
//! Invariant: per-key-order (a key that drops, expires, delays or reorders is named, never let
//! pass because it is legal for the broker).

pub mod arguments;
mod effective;
pub mod live;
pub mod policy;
pub mod required;
pub mod row;
mod table;

use std::{collections::BTreeMap, fmt};

use super::{observed::Value, topology::QueueKind, version::BrokerVersion};

/// The versions that files are judged for when none is named.
pub const VERSIONS: [BrokerVersion; 5] = [
    BrokerVersion::new(3, 10, 0),
    BrokerVersion::new(4, 0, 0),
    BrokerVersion::new(4, 1, 0),
    BrokerVersion::new(4, 2, 0),
    BrokerVersion::new(4, 3, 0),
];

/// Reads a version that is not older than the tables; newer ones are judged like their last.
#[must_use]
pub fn supported(text: &str) -> Option<BrokerVersion> {
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    BrokerVersion::parse(text).filter(|version| digits && *version >= VERSIONS[0])
}

/// Versions as `3.10, 4.0 and 4.3`.
#[must_use]
pub fn version_list(versions: &[BrokerVersion]) -> String {
    let series: Vec<_> = versions.iter().map(|v| format!("{}.{}", v.major, v.minor)).collect();
    match series.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Every queue type of RabbitMQ, those that can't hold a shard among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueType {
    /// One replica.
    Classic,
    /// Replicated.
    Quorum,
    /// A log that keeps acknowledged messages; never a shard (T68).
    Stream,
}

impl QueueType {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Classic, Self::Quorum, Self::Stream];

    /// The value of `x-queue-type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Quorum => "quorum",
            Self::Stream => "stream",
        }
    }

    /// Reads the word; `None` for a type of a plugin.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl From<QueueKind> for QueueType {
    fn from(kind: QueueKind) -> Self {
        match kind {
            QueueKind::Classic => Self::Classic,
            QueueKind::Quorum => Self::Quorum,
        }
    }
}

impl fmt::Display for QueueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a queue is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// It carries the messages of one shard to one consumer.
    Shard,
    /// It keeps what was dead-lettered; nothing stands behind it.
    DeadLetter,
}

/// A queue as far as it can be judged.
#[derive(Debug, Clone, Copy)]
pub struct Queue<'a> {
    /// What it is there for.
    pub role: Role,
    /// Its type.
    pub kind: QueueType,
    /// Its arguments, as desired or as found.
    pub arguments: &'a BTreeMap<String, Value>,
}

impl Queue<'_> {
    fn integer(&self, argument: &str) -> Option<i64> {
        match self.arguments.get(argument) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    fn text(&self, argument: &str) -> Option<&str> {
        match self.arguments.get(argument) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}
