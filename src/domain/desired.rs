//! The broker objects that a topology asks for: names, properties and arguments.
//!
//! Pure arithmetic over [`Topology`]; what exists is not known here. The arguments are those that keep
//! order and lose nothing, whatever the defaults of a broker's version are.
//!
//! Invariants: per-key-order (single active consumer), confirm-or-report (durable, reject-publish).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    observed::Value,
    topology::{QueueKind, Queues, Topology},
};

/// The argument that names the queue type; always given (T34).
pub const QUEUE_TYPE: &str = "x-queue-type";

/// Nothing stands behind a dead-letter queue: what exceeds its limit is deleted. Without a limit 4.x assumes
/// 20 (T38), and a negative one sends returns to the tail (T37) or, on 3.10, deletes at the first return; so
/// it is finite and out of reach.
const DEAD_LETTER_DELIVERY_LIMIT: u64 = 1_000_000_000;

/// Everything that a topology asks a broker for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Desired {
    /// The exchange, always durable and without arguments.
    pub exchange: DesiredExchange,
    /// Dead-letter queues, one per consumer unless consumers share one.
    pub dead_letters: Vec<DesiredQueue>,
    /// Shard queues, by consumer and shard.
    pub queues: Vec<DesiredQueue>,
    /// One per shard queue.
    pub bindings: Vec<DesiredBinding>,
}

/// The exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredExchange {
    /// Name.
    pub name: String,
    /// Type name.
    pub kind: &'static str,
}

/// A durable queue, neither exclusive nor deleted by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredQueue {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: QueueKind,
    /// Arguments, [`QUEUE_TYPE`] among them.
    pub arguments: BTreeMap<String, Value>,
}

/// A binding from the exchange, without arguments (T61).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredBinding {
    /// Destination queue.
    pub queue: String,
    /// Binding key.
    pub routing_key: String,
}

impl Desired {
    /// The objects of `topology` in its current generation.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let exchange = DesiredExchange {
            name: topology.exchange.name.as_str().to_owned(),
            kind: topology.exchange.kind.as_str(),
        };
        let dead_letter_names: BTreeSet<_> =
            topology.consumers.keys().map(|consumer| topology.dead_letter_queue(consumer)).collect();
        let dead_letters =
            dead_letter_names.into_iter().map(|name| dead_letter(topology.queues.kind, name)).collect();
        let mut queues = Vec::new();
        let mut bindings = Vec::new();
        for consumer in topology.consumers.keys() {
            let arguments = shard_arguments(&topology.queues, topology.dead_letter_queue(consumer));
            for shard in 0..topology.shards.count {
                let name = topology.queue(consumer, shard);
                let routing_key = topology.routing_key(shard);
                bindings.push(DesiredBinding { queue: name.clone(), routing_key });
                queues.push(DesiredQueue { name, kind: topology.queues.kind, arguments: arguments.clone() });
            }
        }
        Self { exchange, dead_letters, queues, bindings }
    }

    /// Every queue, in the order in which they are made: dead-letter queues first, because a shard queue
    /// retries a missing target only every three minutes.
    pub fn all_queues(&self) -> impl Iterator<Item = &DesiredQueue> {
        self.dead_letters.iter().chain(&self.queues)
    }
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn integer(value: u64) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A dead-letter queue.
pub(super) fn dead_letter(kind: QueueKind, name: String) -> DesiredQueue {
    let mut arguments = vec![
        (QUEUE_TYPE, text(kind.as_str())),
        // Full, it refuses: the copy then stays in its shard queue. The default drops the oldest (T20).
        ("x-overflow", text("reject-publish")),
    ];
    match kind {
        QueueKind::Quorum => arguments.extend([
            ("x-delivery-limit", integer(DEAD_LETTER_DELIVERY_LIMIT)),
            ("x-queue-leader-locator", text("balanced")),
        ]),
        QueueKind::Classic => {}
    }
    let arguments = arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    DesiredQueue { name, kind, arguments }
}

/// The arguments of every shard queue that dead-letters to `dead_letter_queue`.
pub(super) fn shard_arguments(queues: &Queues, dead_letter_queue: String) -> BTreeMap<String, Value> {
    let mut arguments = vec![
        (QUEUE_TYPE, text(queues.kind.as_str())),
        // It can't be added later (T44), and without it order is lost at every crash of a consumer.
        ("x-single-active-consumer", Value::Bool(true)),
        // The default drops the oldest (T20); at-least-once dead-lettering needs it even without a limit.
        ("x-overflow", text("reject-publish")),
        // The default exchange routes to the queue of that name.
        ("x-dead-letter-exchange", text("")),
        ("x-dead-letter-routing-key", Value::Text(dead_letter_queue)),
    ];
    match queues.kind {
        QueueKind::Quorum => arguments.extend([
            ("x-delivery-limit", integer(u64::from(queues.delivery_limit))),
            ("x-dead-letter-strategy", text("at-least-once")),
            ("x-queue-leader-locator", text("balanced")),
        ]),
        // Each of the three is refused for classic queues by some version (T35).
        QueueKind::Classic => {}
    }
    arguments.extend(queues.max_length.map(|limit| ("x-max-length", integer(limit))));
    arguments.extend(queues.max_length_bytes.map(|limit| ("x-max-length-bytes", integer(limit))));
    let own = arguments.into_iter().map(|(name, value)| (name.to_owned(), value));
    // Ours last: they are what the promises rest on.
    queues.arguments.clone().into_iter().chain(own).collect()
}
