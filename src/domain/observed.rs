//! What a broker reported, including what it could not say.
//!
//! Looking through AMQP alone shows whether an object exists and whether it fits, not its arguments nor
//! its bindings; such blanks are `None` and are said, never guessed.

use std::collections::BTreeMap;

use super::{policy::Policy, version::BrokerVersion};

/// A value of an argument table, reduced to what comparison needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Any integer type, whatever its width on the wire.
    Integer(i64),
    /// A string.
    Text(String),
    /// A boolean.
    Bool(bool),
    /// Anything else, as text.
    Other(String),
}

/// How the look was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// Through the management API: arguments and bindings are known.
    Management,
    /// Through AMQP alone: existence only.
    Amqp,
}

/// The state of the named objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// How the look was made.
    pub sight: Sight,
    /// Broker product and version, when told.
    pub broker_version: Option<String>,
    /// The exchange, when it exists.
    pub exchange: Option<ObservedExchange>,
    /// The named queues that exist.
    pub queues: BTreeMap<String, ObservedQueue>,
    /// Every binding from and into the exchange and into the named queues, default exchange left out;
    /// `None`: can't be seen.
    pub bindings: Option<Vec<ObservedBinding>>,
    /// User and operator policies of the vhost; `None`: can't be seen.
    pub policies: Option<Vec<Policy>>,
    /// The vhost's default queue type, when it has one and it was told.
    pub default_queue_type: Option<String>,
    /// Other queues of the vhost that look like ours: of another generation, or of a consumer that the file
    /// does not list.
    pub orphans: BTreeMap<String, Orphan>,
    /// What this look should have shown and could not, as sentences.
    pub unread: Vec<String>,
}

impl Observed {
    /// The broker's version as numbers, when it was told.
    #[must_use]
    pub fn version(&self) -> Option<BrokerVersion> {
        self.broker_version.as_deref().and_then(BrokerVersion::parse)
    }
}

/// A queue that the topology's names explain and its file does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// Its properties.
    pub details: QueueDetails,
    /// Its counts; `None`: can't be seen.
    pub stats: Option<QueueStats>,
    /// Bindings from the topology's exchange.
    pub bindings: u64,
    /// Whether exchanges of others feed it too.
    pub fed: bool,
}

/// The broker's answer to declaring an existing object again as the file describes it, which changes
/// nothing. It names the first difference only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Equal in everything that the broker compares.
    Same,
    /// At least this differs.
    Differs(Difference),
}

/// One field in which a live object differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Field or argument name.
    pub field: String,
    /// What is there; `None`: absent.
    pub live: Option<Value>,
    /// What was asked for; `None`: absent.
    pub asked: Option<Value>,
}

/// An exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedExchange {
    /// Its properties; `None`: can't be seen.
    pub details: Option<ExchangeDetails>,
    /// Whether it fits, when `details` can't be seen; `None`: not known either.
    pub verdict: Option<Verdict>,
}

/// Properties of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeDetails {
    /// Type name.
    pub kind: String,
    /// Survives a restart.
    pub durable: bool,
    /// Deleted with its last binding.
    pub auto_delete: bool,
    /// Closed to publishers.
    pub internal: bool,
    /// Arguments.
    pub arguments: BTreeMap<String, Value>,
}

/// A queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedQueue {
    /// Its properties; `None`: can't be seen.
    pub details: Option<QueueDetails>,
    /// Whether it fits, when `details` can't be seen; `None`: not known either.
    pub verdict: Option<Verdict>,
}

/// Properties of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueDetails {
    /// Type name, such as `quorum`.
    pub kind: String,
    /// Survives a restart.
    pub durable: bool,
    /// Deleted with its last consumer.
    pub auto_delete: bool,
    /// Bound to one connection.
    pub exclusive: bool,
    /// Arguments, `x-queue-type` included when it was given.
    pub arguments: BTreeMap<String, Value>,
}

/// A binding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedBinding {
    /// Source exchange.
    pub source: String,
    /// Destination queue or exchange.
    pub destination: String,
    /// Whether the destination is a queue.
    pub to_queue: bool,
    /// Binding key.
    pub routing_key: String,
    /// Whether it has arguments; ours never have (T61).
    pub has_arguments: bool,
}

/// Counts of a queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// Messages waiting.
    pub ready: u64,
    /// Delivered and not acknowledged; `None`: can't be seen.
    pub unacked: Option<u64>,
    /// Subscribed consumers; through AMQP a quorum queue counts the active one only.
    pub consumers: u64,
    /// Tag of the active consumer, when told.
    pub active_tag: Option<String>,
}
