//! A store in memory: its version, the scripts it ran, and its shards.

use std::sync::Mutex;

use async_trait::async_trait;
use topo::{
    domain::{consumer::SqlFile, rule::ShardRule},
    ports::store::{ObservedStore, Session, ShardState, Store, StoreError, StoreKind},
};

/// A store in memory: its version, the scripts it ran, and its shards.
#[derive(Default)]
pub(super) struct FakeStore {
    pub(super) version: Mutex<Option<u32>>,
    pub(super) ran: Mutex<Vec<(String, String)>>,
    pub(super) rule: Mutex<Option<ShardRule>>,
    pub(super) shards: Vec<ShardState>,
    pub(super) dead: bool,
}

impl FakeStore {
    pub(super) const WANTED: u32 = 2;

    fn alive(&self) -> Result<(), StoreError> {
        if self.dead { Err(StoreError::new(StoreKind::Unreachable, "no database")) } else { Ok(()) }
    }
}

#[async_trait]
impl Store for FakeStore {
    async fn observe(&self) -> Result<ObservedStore, StoreError> {
        self.alive()?;
        Ok(ObservedStore { version: *self.version.lock().unwrap(), wanted: Self::WANTED })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        *self.version.lock().unwrap() = Some(Self::WANTED);
        Ok(())
    }

    async fn run_schema(&self, consumer: &str, script: &SqlFile) -> Result<(), StoreError> {
        assert_eq!(*self.version.lock().unwrap(), Some(Self::WANTED), "a script before the tables");
        self.ran.lock().unwrap().push((consumer.to_owned(), script.digest()));
        Ok(())
    }

    async fn schema_digest(&self, consumer: &str) -> Result<Option<String>, StoreError> {
        let ran = self.ran.lock().unwrap();
        Ok(ran.iter().rev().find(|(name, _)| name == consumer).map(|(_, digest)| digest.clone()))
    }

    async fn shard_rule(&self, _topology: &str, _generation: u32) -> Result<Option<ShardRule>, StoreError> {
        Ok(self.rule.lock().unwrap().clone())
    }

    async fn record_shard_rule(
        &self,
        _topology: &str,
        _generation: u32,
        rule: &ShardRule,
    ) -> Result<(), StoreError> {
        self.rule.lock().unwrap().get_or_insert_with(|| rule.clone());
        Ok(())
    }

    async fn session(&self, _handler: &SqlFile) -> Result<Box<dyn Session>, StoreError> {
        Err(StoreError::new(StoreKind::Failed, "no sessions here"))
    }

    async fn shards(&self, _consumer: &str, _generation: u32) -> Result<Vec<ShardState>, StoreError> {
        self.alive()?;
        Ok(self.shards.clone())
    }
}
