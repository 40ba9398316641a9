//! The tables in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::sync::Semaphore;

use super::Faults;
use crate::{
    domain::{message::ShardId, rule::ShardRule},
    ports::store::{Epoch, ShardState},
};

/// What the built-in handler did with one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The shard in whose transaction it happened.
    pub shard: ShardId,
    /// The ordering key.
    pub key: String,
    /// The message id.
    pub message_id: String,
    /// The per-key sequence number.
    pub sequence: Option<i64>,
    /// The body.
    pub body: Vec<u8>,
}

/// A row of `processed_messages`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Processed {
    /// The shard.
    pub shard: ShardId,
    /// The message id.
    pub message_id: String,
    /// The ordering key.
    pub key: String,
    /// The place in the shard's order, from 1.
    pub position: u64,
    /// Digest of key and body.
    pub digest: [u8; 16],
}

/// A row of `shard_owners`.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) epoch: u64,
    pub(super) name: Option<String>,
    pub(super) position: u64,
    /// The row lock.
    pub(super) row: Arc<Semaphore>,
}

impl Default for Owner {
    fn default() -> Self {
        Self { epoch: 0, name: None, position: 0, row: Arc::new(Semaphore::new(1)) }
    }
}

/// Everything committed, and the faults.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) version: Option<u32>,
    /// Raised when all connections are cut.
    pub(super) connections: u64,
    pub(super) faults: Faults,
    pub(super) owners: BTreeMap<ShardId, Owner>,
    /// By consumer and message id.
    pub(super) processed: BTreeMap<(String, String), Processed>,
    pub(super) effects: Vec<Effect>,
    pub(super) schemas: BTreeMap<String, String>,
    pub(super) rules: BTreeMap<(String, u32), ShardRule>,
}

/// What one transaction has written.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) processed: Vec<Processed>,
    pub(super) effects: Vec<Effect>,
}

impl World {
    /// The row of the shard, made when absent.
    pub(super) fn owner(&mut self, shard: &ShardId) -> &mut Owner {
        self.owners.entry(shard.clone()).or_default()
    }

    /// Raises the epoch.
    pub(super) fn take(&mut self, shard: &ShardId, name: &str) -> Epoch {
        let owner = self.owner(shard);
        owner.epoch += 1;
        owner.name = Some(name.to_owned());
        Epoch(owner.epoch)
    }

    /// Applies a transaction; `false` when another shard has committed one of its ids meanwhile.
    pub(super) fn commit(&mut self, shard: &ShardId, writes: Writes) -> bool {
        let id = |row: &Processed| (row.shard.consumer.clone(), row.message_id.clone());
        let ids: BTreeSet<_> = writes.processed.iter().map(id).collect();
        if ids.iter().any(|id| self.processed.contains_key(id)) {
            return false;
        }
        if let Some(last) = writes.processed.last() {
            self.owner(shard).position = last.position;
        }
        self.processed.extend(writes.processed.into_iter().map(|row| (id(&row), row)));
        self.effects.extend(writes.effects);
        true
    }

    /// For display.
    pub(super) fn shards(&self, consumer: &str, generation: u32) -> Vec<ShardState> {
        let owned = self.owners.iter().filter(|(shard, owner)| {
            shard.consumer == consumer && shard.generation == generation && owner.epoch > 0
        });
        owned
            .map(|(shard, owner)| ShardState {
                shard: shard.shard,
                epoch: owner.epoch,
                owner: owner.name.clone(),
                position: owner.position,
                ..ShardState::default()
            })
            .collect()
    }
}
