//! The desired state: one topology with every default filled in.
//!
//! Made by `spec` from topology.yaml, read by everything else. Values are already checked: names fit
//! AMQP, templates do not collide, counts are in range.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use super::{
    consumer::Consumer,
    hash::HashKind,
    key::{KeyRule, Pointer},
    name::Name,
    observed::Value,
    secret::Secret,
    template::{Template, Values},
    version::BrokerVersion,
};

/// The largest number of shards of one topology.
pub const SHARDS_MAX: u32 = 4096;

/// A whole topology.yaml, resolved.
#[derive(Debug, Clone)]
pub struct Topology {
    /// The name from which other names default.
    pub name: Name,
    /// How to reach the broker.
    pub broker: Broker,
    /// The exchange that producers publish to; always durable.
    pub exchange: Exchange,
    /// Number, generation and rule of the shards.
    pub shards: Shards,
    /// How each consumer's queues are declared.
    pub queues: Queues,
    /// Where `publish` finds the envelope in an input line.
    pub message: MessageFields,
    /// Limits and deadlines of publishing.
    pub publish: Publish,
    /// The default store of the consumers.
    pub store: StoreTarget,
    /// The consumers by name.
    pub consumers: BTreeMap<Name, Consumer>,
}

/// Broker addresses and trust.
#[derive(Debug, Clone)]
pub struct Broker {
    /// `amqp://` or `amqps://` URL.
    pub url: Secret,
    /// Management API; `None`: derived from `url`.
    pub management_url: Option<Secret>,
    /// Trust and client certificate for amqps.
    pub tls: Tls,
    /// The version that the file is written for; `None`: every supported one.
    pub version: Option<BrokerVersion>,
}

/// TLS files; `spec` has joined relative paths to the folder of topology.yaml.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// PEM roots that replace the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM client certificate chain.
    pub cert_file: Option<PathBuf>,
    /// PEM private key of `cert_file`.
    pub key_file: Option<PathBuf>,
}

/// The exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub kind: ExchangeKind,
}

/// Exchange types whose routing is exact; hashing exchanges are refused (T62).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeKind {
    /// Routing key equals binding key.
    Direct,
    /// Pattern match; our keys hold no wildcards, so it routes like direct.
    Topic,
}

impl ExchangeKind {
    /// The AMQP type name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Topic => "topic",
        }
    }
}

/// The shard rule. Every change of it is a reshard.
#[derive(Debug, Clone)]
pub struct Shards {
    /// 1 to [`SHARDS_MAX`].
    pub count: u32,
    /// Part of names and routing keys; raised by a reshard.
    pub generation: u32,
    /// Where the key stands.
    pub key: KeyRule,
    /// The hash of the key.
    pub hash: HashKind,
    /// Routing key template; holds generation, shard and count, so a producer with another N is returned.
    pub routing_key: Template,
}

/// How queues are declared.
#[derive(Debug, Clone)]
pub struct Queues {
    /// Queue name template.
    pub name: Template,
    /// Queue type.
    pub kind: QueueKind,
    /// `x-delivery-limit` of quorum queues: finite and positive (T37, T38).
    pub delivery_limit: u32,
    /// `x-max-length`, messages.
    pub max_length: Option<u64>,
    /// `x-max-length-bytes`, bytes.
    pub max_length_bytes: Option<u64>,
    /// Name template of the dead-letter queue.
    pub dead_letter: Template,
    /// Further arguments of the shard queues; none that topo sets itself, none that breaks a promise.
    pub arguments: BTreeMap<String, Value>,
}

/// Queue types that can be single-active-consumer and ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueKind {
    /// Replicated, fsynced before the confirm.
    Quorum,
    /// One replica, confirmed before fsync (T26).
    Classic,
}

impl QueueKind {
    /// The value of `x-queue-type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quorum => "quorum",
            Self::Classic => "classic",
        }
    }
}

/// Pointers to the envelope's fields in an input line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFields {
    /// The producer's message id; absent: an id is generated.
    pub id: Option<Pointer>,
    /// The event type.
    pub event_type: Option<Pointer>,
    /// The per-key sequence number.
    pub sequence: Option<Pointer>,
    /// RFC 3339 time of the event.
    pub occurred_at: Option<Pointer>,
    /// The correlation id.
    pub correlation_id: Option<Pointer>,
    /// The trace id.
    pub trace_id: Option<Pointer>,
}

/// Publishing limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Publish {
    /// Most messages without a verdict.
    pub in_flight: u32,
    /// Most bytes without a verdict.
    pub in_flight_bytes: u64,
    /// A confirm read later than this after sending counts as unknown.
    pub confirm_timeout: Duration,
    /// How long a nacked or returned message is tried.
    pub give_up_after: Duration,
    /// Whether a key may have several messages in flight.
    pub order: Order,
    /// Longest body in bytes.
    pub max_body: u64,
}

/// The gate of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// At most one unresolved message per key (T7).
    Strict,
    /// Several; order of a key is lost when the broker nacks one of them.
    Pipelined,
}

/// Where a consumer's tables live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreTarget {
    /// `sqlite:FILE` (one colon, no slashes of a URL, relative paths joined to the folder of
    /// topology.yaml) or `postgres://…`.
    pub url: Secret,
    /// PostgreSQL schema of topo's tables.
    pub schema: Name,
}

impl Topology {
    fn values<'a>(&'a self, consumer: &'a str, shard: u32) -> Values<'a> {
        Values {
            topology: self.name.as_str(),
            consumer,
            generation: self.shards.generation,
            shard,
            count: self.shards.count,
        }
    }

    /// The routing key of `shard`.
    #[must_use]
    pub fn routing_key(&self, shard: u32) -> String {
        self.shards.routing_key.expand(&self.values("", shard))
    }

    /// The queue of `consumer` for `shard`.
    #[must_use]
    pub fn queue(&self, consumer: &Name, shard: u32) -> String {
        self.queues.name.expand(&self.values(consumer.as_str(), shard))
    }

    /// The dead-letter queue of `consumer`.
    #[must_use]
    pub fn dead_letter_queue(&self, consumer: &Name) -> String {
        self.queues.dead_letter.expand(&self.values(consumer.as_str(), 0))
    }

    /// The store of `consumer`: its own, else the topology's.
    #[must_use]
    pub fn store_of<'a>(&'a self, consumer: &'a Consumer) -> &'a StoreTarget {
        consumer.store.as_ref().unwrap_or(&self.store)
    }
}
