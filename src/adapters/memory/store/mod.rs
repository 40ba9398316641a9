//! The store in memory: the same behaviour as the SQL adapters, with faults on demand.
//!
//! Its handler is built in: it appends each message to a list of effects, inside the transaction. Locks and
//! visibility are those of one row lock per shard and READ COMMITTED. Nothing depends on time but the
//! bound on waiting for a lock.

mod faults;
mod session;
mod world;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use self::world::World;
use crate::{
    domain::{consumer::SqlFile, rule::ShardRule},
    ports::store::{ObservedStore, Session, ShardState, Store, StoreError, StoreKind},
};

pub use faults::Faults;
pub use world::{Effect, Processed};

/// The version of the tables it pretends to have.
const WANTED: u32 = 1;

/// A store that ends with the process. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    world: Arc<Mutex<World>>,
}

impl MemoryStore {
    /// An empty store without tables.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The committed effects, in the order of their commits.
    #[must_use]
    pub fn effects(&self) -> Vec<Effect> {
        self.lock().effects.clone()
    }

    /// The committed rows of processed messages of `consumer`, by shard and position.
    #[must_use]
    pub fn processed(&self, consumer: &str) -> Vec<Processed> {
        let world = self.lock();
        let mut rows: Vec<Processed> =
            world.processed.values().filter(|row| row.shard.consumer == consumer).cloned().collect();
        rows.sort_by(|a, b| (&a.shard, a.position).cmp(&(&b.shard, b.position)));
        rows
    }

    /// Changes what goes wrong next.
    pub fn faults<T>(&self, change: impl FnOnce(&mut Faults) -> T) -> T {
        change(&mut self.lock().faults)
    }

    /// Cuts every open session; what it had not committed is gone.
    pub fn cut_connections(&self) {
        self.lock().connections += 1;
    }

    /// Pretends that the tables have this version.
    pub fn set_version(&self, version: Option<u32>) {
        self.lock().version = version;
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        // Nothing panics while it holds the lock.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check_version(&self) -> Result<(), StoreError> {
        match self.lock().version {
            Some(WANTED) => Ok(()),
            Some(newer) if newer > WANTED => Err(StoreError::new(
                StoreKind::SchemaNewer,
                format!("the store's tables have version {newer}, this program knows {WANTED}"),
            )),
            Some(_) | None => Err(StoreError::new(StoreKind::SchemaMissing, "the store has no tables yet")),
        }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn observe(&self) -> Result<ObservedStore, StoreError> {
        Ok(ObservedStore { version: self.lock().version, wanted: WANTED })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        let missing = self.lock().version.is_none();
        if missing {
            self.set_version(Some(WANTED));
        }
        self.check_version()
    }

    async fn run_schema(&self, consumer: &str, script: &SqlFile) -> Result<(), StoreError> {
        self.check_version()?;
        self.lock().schemas.insert(consumer.to_owned(), script.digest());
        Ok(())
    }

    async fn schema_digest(&self, consumer: &str) -> Result<Option<String>, StoreError> {
        self.check_version()?;
        Ok(self.lock().schemas.get(consumer).cloned())
    }

    async fn shard_rule(&self, topology: &str, generation: u32) -> Result<Option<ShardRule>, StoreError> {
        self.check_version()?;
        Ok(self.lock().rules.get(&(topology.to_owned(), generation)).cloned())
    }

    async fn record_shard_rule(
        &self,
        topology: &str,
        generation: u32,
        rule: &ShardRule,
    ) -> Result<(), StoreError> {
        self.check_version()?;
        self.lock().rules.entry((topology.to_owned(), generation)).or_insert_with(|| rule.clone());
        Ok(())
    }

    async fn session(&self, _handler: &SqlFile) -> Result<Box<dyn Session>, StoreError> {
        self.check_version()?;
        let connection = self.lock().connections;
        Ok(Box::new(session::MemorySession::new(self.clone(), connection)))
    }

    async fn shards(&self, consumer: &str, generation: u32) -> Result<Vec<ShardState>, StoreError> {
        self.check_version()?;
        Ok(self.lock().shards(consumer, generation))
    }
}
