//! The steps of a plan: what is asked of a broker or a store, one request each.
//!
//! Owns how a step is told: as the fields that it sets, for plans, and as a sentence, for progress and
//! errors. Does not run anything.

use std::{collections::BTreeMap, fmt};

use super::{Action, Change, FieldChange, Kind};
use crate::domain::{observed::Value, policy::Policy};

/// The argument that names a dead-letter queue.
const DEAD_LETTER_KEY: &str = "x-dead-letter-routing-key";

/// One executable step. Each can be run twice: the second run changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Declare an exchange.
    Exchange {
        /// Name.
        name: String,
        /// Type name.
        kind: String,
    },
    /// Declare a durable queue with arguments.
    Queue {
        /// Name.
        name: String,
        /// Arguments, `x-queue-type` always among them (T34).
        arguments: BTreeMap<String, Value>,
    },
    /// Bind a queue.
    Binding {
        /// Exchange.
        exchange: String,
        /// Queue.
        queue: String,
        /// Binding key.
        routing_key: String,
    },
    /// Create or upgrade topo's tables in the store of these consumers.
    Tables {
        /// Index into the stores of the topology.
        store: usize,
    },
    /// Run a consumer's schema.sql.
    Schema {
        /// Index into the stores of the topology.
        store: usize,
        /// The consumer.
        consumer: String,
    },
    /// Create or change a user policy of ours.
    Policy {
        /// The policy.
        policy: Policy,
    },
    /// Delete a user policy of ours.
    DeletePolicy {
        /// Name.
        name: String,
    },
    /// Remove a binding.
    Unbind {
        /// Exchange.
        exchange: String,
        /// Queue.
        queue: String,
        /// Binding key.
        routing_key: String,
    },
    /// Delete a queue.
    DeleteQueue {
        /// Name.
        name: String,
        /// Delete it with its messages; otherwise one that holds messages or has consumers is refused.
        discard: bool,
    },
    /// Delete an exchange that nothing is bound to.
    DeleteExchange {
        /// Name.
        name: String,
    },
}

/// Who runs a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executor {
    /// The broker, through AMQP.
    Amqp,
    /// The broker, through the management API: AMQP has no such request.
    Management,
    /// A store.
    Store,
}

impl Step {
    /// Who runs it.
    #[must_use]
    pub const fn executor(&self) -> Executor {
        match self {
            Self::Exchange { .. }
            | Self::Queue { .. }
            | Self::Binding { .. }
            | Self::Unbind { .. }
            | Self::DeleteQueue { .. }
            | Self::DeleteExchange { .. } => Executor::Amqp,
            Self::Policy { .. } | Self::DeletePolicy { .. } => Executor::Management,
            Self::Tables { .. } | Self::Schema { .. } => Executor::Store,
        }
    }
    /// Whether this step and the one after it in a plan may run at the same time: same kind of request, and
    /// neither needs the other's result. Dead-letter queues are made before the queues that name them.
    #[must_use]
    pub fn alongside(&self, next: &Self) -> bool {
        let has_target = |arguments: &BTreeMap<String, Value>| arguments.contains_key(DEAD_LETTER_KEY);
        match (self, next) {
            (Self::Queue { arguments, .. }, Self::Queue { arguments: others, .. }) => {
                has_target(arguments) == has_target(others)
            }
            (Self::Binding { .. }, Self::Binding { .. })
            | (Self::Unbind { .. }, Self::Unbind { .. })
            | (Self::DeleteQueue { .. }, Self::DeleteQueue { .. }) => true,
            _ => false,
        }
    }

    /// What it makes, as fields that were absent before; empty for a step that makes nothing.
    #[must_use]
    pub fn made(&self) -> Vec<FieldChange> {
        let text = |value: &str| Value::Text(value.to_owned());
        let durable = ("durable".to_owned(), Value::Bool(true));
        let fields = match self {
            Self::Exchange { kind, .. } => vec![("type".to_owned(), text(kind)), durable],
            Self::Queue { arguments, .. } => {
                let arguments = arguments.iter().map(|(name, value)| (name.clone(), value.clone()));
                [durable].into_iter().chain(arguments).collect()
            }
            Self::Binding { exchange, queue, routing_key } => vec![
                ("source".to_owned(), text(exchange)),
                ("destination".to_owned(), text(queue)),
                ("routing_key".to_owned(), text(routing_key)),
            ],
            Self::Tables { .. }
            | Self::Schema { .. }
            | Self::Policy { .. }
            | Self::DeletePolicy { .. }
            | Self::Unbind { .. }
            | Self::DeleteQueue { .. }
            | Self::DeleteExchange { .. } => Vec::new(),
        };
        fields.into_iter().map(|(field, to)| FieldChange { field, from: None, to: Some(to) }).collect()
    }

    /// The line of a plan for something that this step makes.
    #[must_use]
    pub fn create(self, kind: Kind, name: impl Into<String>) -> Change {
        let (name, fields) = (name.into(), self.made());
        Change { action: Action::Create, kind, name, fields, hazard: None, step: Some(self) }
    }
}

/// A sentence without an end, such as `declare queue orders.ledger.g1.0`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exchange { name, .. } => write!(f, "declare exchange {name}"),
            Self::Queue { name, .. } => write!(f, "declare queue {name}"),
            Self::Binding { exchange, queue, routing_key } => {
                write!(f, "bind {queue} to {exchange} with {routing_key}")
            }
            Self::Unbind { exchange, queue, routing_key } => {
                write!(f, "unbind {queue} from {exchange} with {routing_key}")
            }
            Self::DeleteQueue { name, .. } => write!(f, "delete queue {name}"),
            Self::DeleteExchange { name } => write!(f, "delete exchange {name}"),
            Self::Policy { policy } => write!(f, "set policy {}", policy.name),
            Self::DeletePolicy { name } => write!(f, "delete policy {name}"),
            Self::Tables { .. } => f.write_str("create or upgrade the tables of the store"),
            Self::Schema { consumer, .. } => write!(f, "run schema.sql of {consumer}"),
        }
    }
}
