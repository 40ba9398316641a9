//! The embedded store: one SQLite file.
//!
//! Owns connections (each on a thread of its own), tables, claims and the handler's statements. A writer
//! locks the whole file, so the shards of one process queue for it in order. WAL with synchronous FULL: a
//! commit survives a power cut.
//!
//! Invariants: effect-once, one-owner, ack-after-commit.

mod connection;
mod error;
mod handler;
mod health;
mod migrate;
mod rows;
mod session;
mod shards;
mod transaction;
mod worker;

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use rusqlite::Connection;
use tokio::{sync::Semaphore, task};

use crate::{
    domain::{consumer::SqlFile, rule::ShardRule, topology::StoreTarget},
    ports::{
        health::StoreHealth,
        store::{ObservedStore, Session, ShardState, Store, StoreError, StoreKind},
    },
};

/// A store in a SQLite file. Nothing is opened before the first call.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    timeout: Duration,
    /// The shards of this process wait here in order; SQLite itself lets the luckiest one in.
    writer: Arc<Semaphore>,
}

/// A store for `sqlite:PATH`. `timeout` bounds each handler call and each wait for the file's lock.
///
/// # Errors
/// `Refused` when the URL names no file.
pub fn open(target: &StoreTarget, timeout: Duration) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(SqliteStore::new(path(target)?, timeout)))
}

/// The same, for looking at the file's health.
///
/// # Errors
/// See [`open`].
pub fn health(target: &StoreTarget, timeout: Duration) -> Result<Arc<dyn StoreHealth>, StoreError> {
    Ok(Arc::new(SqliteStore::new(path(target)?, timeout)))
}

fn path(target: &StoreTarget) -> Result<&str, StoreError> {
    let path = target.url.expose().strip_prefix("sqlite:").unwrap_or_default();
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() || path == ":memory:" {
        return Err(StoreError::new(StoreKind::Refused, "store.url names no file; write sqlite:PATH"));
    }
    Ok(path)
}

impl SqliteStore {
    /// A store in the file at `path`. `timeout` bounds each handler call and each wait for the lock.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, timeout: Duration) -> Self {
        Self { path: path.into(), timeout, writer: Arc::new(Semaphore::new(1)) }
    }

    /// Runs `work` with a connection of its own, off the async threads.
    async fn with<T: Send + 'static>(
        &self,
        open: connection::Open,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (path, timeout) = (self.path.clone(), self.timeout);
        let job = move || work(&mut connection::open(&path, open, timeout)?);
        task::spawn_blocking(job).await.map_err(|error| {
            StoreError::because(StoreKind::Unreachable, "the thread of a SQLite connection ended", error)
        })?
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn observe(&self) -> Result<ObservedStore, StoreError> {
        // Looking must not create the file.
        if !connection::exists(&self.path)? {
            return Ok(ObservedStore { version: None, wanted: migrate::WANTED });
        }
        let version = self.with(connection::Open::Existing, |conn| migrate::version(conn)).await?;
        Ok(ObservedStore { version, wanted: migrate::WANTED })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        self.with(connection::Open::Create, migrate::migrate).await
    }

    async fn run_schema(&self, consumer: &str, script: &SqlFile) -> Result<(), StoreError> {
        let (consumer, script) = (consumer.to_owned(), script.clone());
        self.with(connection::Open::Existing, move |conn| migrate::run_schema(conn, &consumer, &script)).await
    }

    async fn schema_digest(&self, consumer: &str) -> Result<Option<String>, StoreError> {
        let consumer = consumer.to_owned();
        self.with(connection::Open::Existing, move |conn| migrate::schema_digest(conn, &consumer)).await
    }

    async fn shard_rule(&self, topology: &str, generation: u32) -> Result<Option<ShardRule>, StoreError> {
        let topology = topology.to_owned();
        self.with(connection::Open::Existing, move |conn| migrate::shard_rule(conn, &topology, generation))
            .await
    }

    async fn record_shard_rule(
        &self,
        topology: &str,
        generation: u32,
        rule: &ShardRule,
    ) -> Result<(), StoreError> {
        let (topology, rule) = (topology.to_owned(), rule.clone());
        let record = move |conn: &mut _| migrate::record_shard_rule(conn, &topology, generation, &rule);
        self.with(connection::Open::Existing, record).await
    }

    async fn session(&self, handler: &SqlFile) -> Result<Box<dyn Session>, StoreError> {
        let session = session::SqliteSession::open(&self.path, self.timeout, handler, &self.writer).await?;
        Ok(Box::new(session))
    }

    async fn shards(&self, consumer: &str, generation: u32) -> Result<Vec<ShardState>, StoreError> {
        let consumer = consumer.to_owned();
        self.with(connection::Open::Existing, move |conn| shards::shards(conn, &consumer, generation)).await
    }
}
