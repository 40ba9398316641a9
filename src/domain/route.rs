//! Key to shard to routing key: the only way to make a [`Routed`] message.
//!
//! Publishing demands a [`Routed`], so nobody can publish to a hand-written shard. The map is frozen for
//! a generation; a reshard makes a new one.
//!
//! Invariant: per-key-order.

use super::{
    envelope::Envelope,
    hash::{HashKind, HashValue},
    key::OrderingKey,
    topology::Topology,
};

/// The shards of one generation with their routing keys.
#[derive(Debug, Clone)]
pub struct ShardMap {
    hash: HashKind,
    generation: u32,
    exchange: String,
    routing_keys: Vec<String>,
}

/// Where a key goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route<'a> {
    /// The key's hash.
    pub hash: HashValue,
    /// The shard, from 0.
    pub shard: u32,
    /// The routing key of that shard.
    pub routing_key: &'a str,
}

impl ShardMap {
    /// The map of a topology's current generation.
    #[must_use]
    pub fn new(topology: &Topology) -> Self {
        Self {
            hash: topology.shards.hash,
            generation: topology.shards.generation,
            exchange: topology.exchange.name.as_str().to_owned(),
            routing_keys: (0..topology.shards.count).map(|s| topology.routing_key(s)).collect(),
        }
    }

    /// Number of shards.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.routing_keys.len()).unwrap_or(u32::MAX)
    }

    /// The generation of this map.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// The exchange that all shards are published to.
    #[must_use]
    pub fn exchange(&self) -> &str {
        &self.exchange
    }

    /// The shard of `key`.
    #[must_use]
    pub fn shard(&self, key: &str) -> u32 {
        self.hash.hash(key).shard(self.count())
    }

    /// Hash, shard and routing key of `key`.
    #[must_use]
    pub fn route(&self, key: &OrderingKey) -> Route<'_> {
        let hash = self.hash.hash(key.as_str());
        let shard = hash.shard(self.count());
        let index = usize::try_from(shard).unwrap_or(usize::MAX);
        let routing_key = self.routing_keys.get(index).map_or("", String::as_str);
        Route { hash, shard, routing_key }
    }

    /// Routes an envelope.
    #[must_use]
    pub fn routed(&self, envelope: Envelope) -> Routed {
        let Route { shard, routing_key, .. } = self.route(&envelope.key);
        let routing_key = routing_key.to_owned();
        Routed { shard, generation: self.generation, routing_key, envelope }
    }
}

/// An envelope with its shard; made only by [`ShardMap::routed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routed {
    shard: u32,
    generation: u32,
    routing_key: String,
    envelope: Envelope,
}

impl Routed {
    /// The shard, which is also the lane.
    #[must_use]
    pub const fn shard(&self) -> u32 {
        self.shard
    }

    /// The generation it was routed by.
    #[must_use]
    pub const fn generation(&self) -> u32 {
        self.generation
    }

    /// The routing key.
    #[must_use]
    pub fn routing_key(&self) -> &str {
        &self.routing_key
    }

    /// The envelope.
    #[must_use]
    pub const fn envelope(&self) -> &Envelope {
        &self.envelope
    }
}
