//! The production store: PostgreSQL 14 and later.
//!
//! Owns connections (one per session, no pool), tables, claims and the handler's statements. topo's tables
//! are always named with their schema; the consumer's own resolve through the role's search path.
//! A direct or session-pooled connection is needed: transaction pooling loses the session's settings (T120).
//!
//! Invariants: effect-once, one-owner, ack-after-commit.

mod claim;
mod connect;
mod error;
pub mod grants;
mod handler;
mod health;
mod schema;
mod session;
mod shards;
mod tables;
mod transaction;
mod url;
mod value;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use self::{connect::Connector, schema::Schema, transaction::State};
use crate::{
    domain::{consumer::SqlFile, name::Name, rule::ShardRule, secret::Secret, topology::StoreTarget},
    ports::{
        health::StoreHealth,
        store::{ObservedStore, Session, ShardState, Store, StoreError},
    },
};

/// A store in a PostgreSQL database. Nothing is connected before the first call.
#[derive(Debug)]
pub struct PostgresStore {
    connector: Connector,
    schema: Schema,
}

/// A store for a `postgres://` URL. `timeout` bounds each statement.
///
/// # Errors
/// `Refused` when the URL or the schema's name can't be used.
pub fn open(target: &StoreTarget, timeout: Duration) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(PostgresStore::new(&target.url, &target.schema, timeout)?))
}

/// The same, for looking at the database's health.
///
/// # Errors
/// See [`open`].
pub fn health(target: &StoreTarget, timeout: Duration) -> Result<Arc<dyn StoreHealth>, StoreError> {
    Ok(Arc::new(PostgresStore::new(&target.url, &target.schema, timeout)?))
}

impl PostgresStore {
    /// Reads the URL; see [`open`].
    ///
    /// # Errors
    /// `Refused` when the URL or the schema's name can't be used.
    pub fn new(url: &Secret, schema: &Name, statement_timeout: Duration) -> Result<Self, StoreError> {
        Ok(Self { connector: Connector::new(url, statement_timeout)?, schema: Schema::new(schema)? })
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn observe(&self) -> Result<ObservedStore, StoreError> {
        let connection = self.connector.connect().await?;
        let version = tables::version(&connection.client, &self.schema).await?;
        Ok(ObservedStore { version, wanted: tables::WANTED })
    }

    async fn migrate(&self) -> Result<(), StoreError> {
        let connection = self.connector.connect().await?;
        tables::migrate(&connection.client, &self.schema).await
    }

    async fn run_schema(&self, consumer: &str, script: &SqlFile) -> Result<(), StoreError> {
        let connection = self.connector.connect().await?;
        tables::run_schema(&connection.client, &self.schema, consumer, script).await
    }

    async fn schema_digest(&self, consumer: &str) -> Result<Option<String>, StoreError> {
        let connection = self.connector.connect().await?;
        tables::schema_digest(&connection.client, &self.schema, consumer).await
    }

    async fn shard_rule(&self, topology: &str, generation: u32) -> Result<Option<ShardRule>, StoreError> {
        let connection = self.connector.connect().await?;
        tables::shard_rule(&connection.client, &self.schema, topology, generation).await
    }

    async fn record_shard_rule(
        &self,
        topology: &str,
        generation: u32,
        rule: &ShardRule,
    ) -> Result<(), StoreError> {
        let connection = self.connector.connect().await?;
        tables::record_shard_rule(&connection.client, &self.schema, topology, generation, rule).await
    }

    async fn session(&self, handler: &SqlFile) -> Result<Box<dyn Session>, StoreError> {
        let connection = self.connector.connect().await?;
        let timeout = self.connector.statement_timeout();
        let state = State::open(connection, &self.schema, handler, timeout).await?;
        Ok(Box::new(session::PostgresSession::new(state)))
    }

    async fn shards(&self, consumer: &str, generation: u32) -> Result<Vec<ShardState>, StoreError> {
        let connection = self.connector.connect().await?;
        shards::shards(&connection.client, &self.schema, consumer, generation).await
    }
}
