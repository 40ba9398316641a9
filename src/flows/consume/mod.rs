//! Consuming: deliveries to effects that are committed once, in order per key.
//!
//! One worker per shard, each with its own channel and its own store session; workers share nothing but
//! limits and counts. The order of one batch is begin, claim, handler, commit, ack.
//!
//! Invariants: effect-once, ack-after-commit, one-owner, per-key-order, drain-loses-nothing.

mod batch;
mod empty;
mod gather;
mod shared;
mod supervise;
mod tell;
mod transact;
mod worker;

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;

pub use supervise::run;

use crate::{
    domain::{
        consumer::{Consumer, SqlFile},
        key::KeyRule,
        report::ConsumeReport,
        route::ShardMap,
    },
    ports::{
        clock::Clock,
        fields::FieldReader,
        link::LinkError,
        observer::Observer,
        store::{Store, StoreError},
        subscription::ConsumeBroker,
        topology::TopologyBroker,
    },
};

/// What a run needs.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "made of ports, which have no state worth showing")]
pub struct Job {
    /// The consumer.
    pub consumer: Consumer,
    /// Its SQL handler.
    pub handler: SqlFile,
    /// Where the key of a message without a `topo-key` header stands.
    pub key: KeyRule,
    /// Key to shard.
    pub map: ShardMap,
    /// The shards to consume, with their queues.
    pub shards: Vec<(u32, String)>,
    /// Where deliveries come from.
    pub broker: Arc<dyn ConsumeBroker>,
    /// Sees unacknowledged messages of other processes, when the management API can be reached.
    pub stats: Option<Arc<dyn TopologyBroker>>,
    /// Where effects go.
    pub store: Arc<dyn Store>,
    /// Finds the key in a body without a key header.
    pub fields: Arc<dyn FieldReader>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Who watches.
    pub observer: Arc<dyn Observer>,
    /// Who we are, unique to the process: host, pid and a random part.
    pub owner: String,
    /// When to end.
    pub limits: Limits,
    /// Set to stop: the open batch is finished or rolled back, nothing more is taken.
    pub stop: watch::Receiver<bool>,
}

/// When a run ends by itself; by default never.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// End each shard once its queue is empty.
    pub until_empty: bool,
    /// End after this many messages.
    pub max_messages: Option<u64>,
    /// End when nothing has arrived for this long.
    pub idle_timeout: Option<Duration>,
}

/// How a run ended.
#[derive(Debug)]
pub enum Ended {
    /// By a limit.
    Complete,
    /// Stopped on request after a clean drain.
    Interrupted,
    /// A shard can't go on.
    Failed(Error),
}

/// Why a shard can't go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The broker refused in a way that trying again does not mend.
    #[error("consuming from {queue} can't go on")]
    Broker {
        /// The queue.
        queue: String,
        /// The refusal.
        #[source]
        source: LinkError,
    },
    /// The store refused in a way that trying again does not mend.
    #[error("the store of consumer {consumer} can't be used")]
    Store {
        /// The consumer.
        consumer: String,
        /// The refusal.
        #[source]
        source: StoreError,
    },
    /// A worker ended abnormally.
    #[error("the worker of a shard ended abnormally: {0}")]
    Worker(String),
}

/// Result of a run: always a report, whatever happened.
#[derive(Debug)]
pub struct Outcome {
    /// What was done.
    pub report: ConsumeReport,
    /// How it ended.
    pub ended: Ended,
}
