//! Confirmed publishing over one connection.
//!
//! Invariants: confirm-or-report, per-key-order. Only the flow decides what follows a verdict.

use std::sync::Arc;

use async_trait::async_trait;

use super::link::LinkError;
use crate::domain::route::Routed;

/// The caller's number for one send; never reused within a run.
pub type Ticket = u64;

/// What the broker said about one message, correlated by what is in the message and never by position
/// (T2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The broker took responsibility.
    Confirmed,
    /// No queue is bound for the routing key; the text is the broker's.
    Returned(String),
    /// The broker refused responsibility; the message may be stored all the same (T11).
    Nacked,
}

/// A verdict for one ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The send it belongs to.
    pub ticket: Ticket,
    /// What happened.
    pub outcome: Outcome,
}

/// What a link reports while waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEvent {
    /// At least one verdict.
    Verdicts(Vec<Verdict>),
    /// The broker stopped reading: an alarm. The text is its reason.
    Blocked(String),
    /// The broker reads again.
    Unblocked,
}

/// One open connection with its confirm channels. A shard always uses the same channel of a link.
#[async_trait]
pub trait PublishLink: Send {
    /// Hands one message to the client, persistent and mandatory, after every earlier `send`.
    ///
    /// After success: on its way; a verdict or the end of the link follows.
    /// After an error: the link has ended; everything in flight is unknown.
    /// Twice: two messages. Dropped: as after an error; drop the link too (T23).
    async fn send(
        &mut self,
        ticket: Ticket,
        message: Arc<Routed>,
        published_at_ms: i64,
    ) -> Result<(), LinkError>;

    /// Waits for the next event.
    ///
    /// After an error: the link has ended; everything without a verdict is unknown.
    /// Dropped: nothing is lost, call again.
    async fn next(&mut self) -> Result<LinkEvent, LinkError>;

    /// Closes in order when `orderly`, waiting at most a few seconds, else drops the socket: an orderly
    /// close of a blocked connection would wait for ever (T21).
    async fn close(self: Box<Self>, orderly: bool);
}

/// Opens links.
#[async_trait]
pub trait PublishBroker: Send + Sync {
    /// Connects and opens confirm channels for `shards` shards, within a deadline.
    ///
    /// After an error: nothing is open.
    async fn open(&self, shards: u32) -> Result<Box<dyn PublishLink>, LinkError>;
}
