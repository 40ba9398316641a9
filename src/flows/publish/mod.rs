//! Publishing: input lines to confirmed messages, every line accounted for.
//!
//! One task owns the window and the link; nothing else sends. The window decides what may be sent, the
//! link says what became of it, this module only moves between them, and reconnects.
//!
//! Invariants: confirm-or-report, per-key-order.

mod books;
mod compose;
mod reconnect;
mod run;
mod tell;

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

pub use run::run;

use crate::{
    domain::{report::PublishReport, route::ShardMap, topology::Publish},
    ports::{
        clock::Clock, fields::FieldReader, link::LinkError, observer::Observer, publisher::PublishBroker,
    },
};

/// One input line.
#[derive(Debug, Clone)]
pub struct Line {
    /// File name, or `-` for standard input.
    pub source: Arc<str>,
    /// Line number, from 1.
    pub number: u64,
    /// The line without its line end, or why it could not be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// What a run needs.
#[expect(missing_debug_implementations, reason = "made of ports, which have no state worth showing")]
pub struct Job<'a> {
    /// Where to publish.
    pub broker: &'a dyn PublishBroker,
    /// Key to shard.
    pub map: &'a ShardMap,
    /// Limits and deadlines.
    pub settings: Publish,
    /// Finds key, id and the rest in a line.
    pub fields: &'a dyn FieldReader,
    /// Makes an id for a line when the topology configures none.
    pub new_id: &'a (dyn Fn() -> String + Send + Sync),
    /// Time.
    pub clock: &'a dyn Clock,
    /// Who watches.
    pub observer: &'a dyn Observer,
    /// Set to stop: nothing more is read, what is in flight is awaited.
    pub stop: watch::Receiver<bool>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// The input was read to its end.
    Complete,
    /// Stopped on request after a clean drain.
    Interrupted,
    /// Something made further publishing pointless.
    Failed(Error),
}

/// Why a run could not go on; the report says what was done until then.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The first connection failed; nothing was read or sent.
    #[error("could not start publishing")]
    Start(#[source] LinkError),
    /// The broker refused in a way that trying again does not mend.
    #[error("publishing can't go on")]
    Refused(#[source] LinkError),
    /// No connection for `publish.give_up_after`.
    #[error("the broker could not be reached again within publish.give_up_after")]
    GaveUp(#[source] LinkError),
}

/// Input of a run.
pub type Lines = mpsc::Receiver<Line>;

/// Result of a run: always a report, whatever happened.
#[derive(Debug)]
pub struct Outcome {
    /// What was done.
    pub report: PublishReport,
    /// How it ended.
    pub ended: Ended,
}
