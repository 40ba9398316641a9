//! Events for people and machines that watch: logs today, metrics later.

use std::time::Duration;

use crate::domain::message::ShardId;

/// Status words of the log, as in the documentation of the log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// A delivery was taken.
    Received,
    /// Its effect is committed.
    BusinessCommitted,
    /// Its id was processed before.
    DuplicateSkipped,
    /// The handler failed and is tried again.
    Retrying,
    /// The shard waits for a message that can't be processed.
    Blocked,
    /// A known id with another body.
    Conflict,
    /// The key belongs to another shard.
    Misrouted,
    /// A newer owner took the shard.
    Fenced,
    /// A published message is confirmed.
    Confirmed,
    /// A published message came back.
    Returned,
    /// A published message was refused.
    Nacked,
    /// A message in doubt is published again.
    Republished,
}

impl Status {
    /// The word in the log line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::BusinessCommitted => "business_committed",
            Self::DuplicateSkipped => "duplicate_skipped",
            Self::Retrying => "retrying",
            Self::Blocked => "blocked",
            Self::Conflict => "conflict",
            Self::Misrouted => "misrouted",
            Self::Fenced => "fenced",
            Self::Confirmed => "confirmed",
            Self::Returned => "returned",
            Self::Nacked => "nacked",
            Self::Republished => "republished",
        }
    }
}

/// How loud an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Per message.
    Debug,
    /// Summaries and changes of state.
    Info,
    /// Something an operator should know.
    Warn,
    /// Something an operator must act on.
    Error,
}

/// One event of one message.
#[derive(Debug, Clone, Copy)]
pub struct MessageEvent<'a> {
    /// What happened.
    pub status: Status,
    /// How loud.
    pub level: Level,
    /// The consumer's shard; `None` when publishing.
    pub shard_id: Option<&'a ShardId>,
    /// The shard number.
    pub shard: u32,
    /// The message id, when it has one.
    pub message_id: &'a str,
    /// The event type.
    pub event_type: Option<&'a str>,
    /// The ordering key.
    pub key: &'a str,
    /// The trace id.
    pub trace_id: Option<&'a str>,
    /// The correlation id.
    pub correlation_id: Option<&'a str>,
    /// Queue or routing key.
    pub destination: &'a str,
    /// Attempt number, from 1.
    pub attempt: u32,
    /// The broker's flag.
    pub redelivered: bool,
    /// How long it took, where that means something.
    pub duration: Option<Duration>,
    /// Reason of a failure.
    pub error: Option<&'a str>,
}

/// Whoever watches. Must be quick and must not fail.
pub trait Observer: Send + Sync {
    /// Whether events of this level are wanted, so that callers need not build them.
    fn wants(&self, level: Level) -> bool;

    /// One message's event.
    fn message(&self, event: &MessageEvent<'_>);

    /// A change of state that is no single message's, such as a reconnect or a blocked broker.
    fn notice(&self, level: Level, shard: Option<&ShardId>, text: &str);

    /// Progress of a publish run: lines read, confirmed and in flight.
    fn progress(&self, read: u64, confirmed: u64, in_flight: u64);
}
