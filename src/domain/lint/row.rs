//! One row of the table of queue arguments: its value, what each queue type answers since which version,
//! and its meaning for a shard.

use std::fmt;

use super::QueueType;
use crate::domain::{observed::Value, version::BrokerVersion};

/// What a broker does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// It does what it is there for.
    Works,
    /// It is stored and does nothing.
    Ignored,
    /// The declaration fails with 406.
    Refused,
    /// The connection is closed with 541.
    Closes,
}

/// Answers by the version that began with them, oldest first.
pub type Since = &'static [(BrokerVersion, Answer)];

/// The values of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A whole number from the first to the second.
    Integer(i64, i64),
    /// A boolean.
    Bool,
    /// Any text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl Takes {
    /// Whether `value` is one of them.
    #[must_use]
    pub fn fits(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Integer(min, max), Value::Integer(number)) => (min..=max).contains(number),
            (Self::Bool, Value::Bool(_)) | (Self::Text, Value::Text(_)) => true,
            (Self::Word(words), Value::Text(text)) => words.contains(&text.as_str()),
            _ => false,
        }
    }
}

impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(i64::MIN, _) => f.write_str("a whole number"),
            Self::Integer(min, i64::MAX) => write!(f, "a whole number from {min}"),
            Self::Integer(min, max) => write!(f, "a whole number from {min} to {max}"),
            Self::Bool => f.write_str("true or false"),
            Self::Text => f.write_str("a text"),
            Self::Word(words) => f.write_str(&words.join(", ")),
        }
    }
}

/// What an argument means for a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// topo sets it; where from.
    Ours(&'static str),
    /// It may stand in `queues.arguments`; what it is.
    Free(&'static str),
    /// It breaks a promise; how.
    Harmful(&'static str),
}

/// One argument.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The argument's name.
    pub name: &'static str,
    /// Its values.
    pub takes: Takes,
    /// What it means for a shard.
    pub meaning: Meaning,
    checks: &'static [(BrokerVersion, bool)],
    classic: Since,
    quorum: Since,
    stream: Since,
}

impl Row {
    /// A row that no type takes yet.
    pub(super) const fn of(name: &'static str, takes: Takes, meaning: Meaning) -> Self {
        Self { name, takes, checks: &[], meaning, classic: &[], quorum: &[], stream: &[] }
    }

    /// The answers of the three types.
    pub(super) const fn on(self, classic: Since, quorum: Since, stream: Since) -> Self {
        Self { classic, quorum, stream, ..self }
    }

    /// Whether brokers look at the value, by the version that began with it; they always do otherwise.
    pub(super) const fn checks(self, checks: &'static [(BrokerVersion, bool)]) -> Self {
        Self { checks, ..self }
    }

    /// Whether `version` refuses other values than these; else it stores them and does something else.
    #[must_use]
    pub fn is_checked(&self, version: BrokerVersion) -> bool {
        at(self.checks, version).unwrap_or(true)
    }

    /// The answers of queues of `kind`.
    #[must_use]
    pub const fn since(&self, kind: QueueType) -> Since {
        match kind {
            QueueType::Classic => self.classic,
            QueueType::Quorum => self.quorum,
            QueueType::Stream => self.stream,
        }
    }

    /// The answer of `version`; versions before the table are taken for its first.
    #[must_use]
    pub fn answer(&self, kind: QueueType, version: BrokerVersion) -> Answer {
        at(self.since(kind), version).unwrap_or(Answer::Ignored)
    }
}

/// What holds for `version`; the first also for those before it.
fn at<T: Copy>(since: &[(BrokerVersion, T)], version: BrokerVersion) -> Option<T> {
    since.iter().rfind(|(from, _)| *from <= version).or(since.first()).map(|(_, what)| *what)
}
