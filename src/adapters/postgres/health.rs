//! How a database is, seen through connections made like a consumer's.

use async_trait::async_trait;
use tokio_postgres::{Client, SimpleQueryMessage, types::Type};

use super::{PostgresStore, error::store_error};
use crate::{
    domain::doctor::facts::{PostgresFacts, StoreFacts},
    ports::{
        health::StoreHealth,
        store::{StoreError, StoreKind},
    },
};

/// How many other sessions may take the server process away.
const PROBES: usize = 3;

#[async_trait]
impl StoreHealth for PostgresStore {
    async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let connection = self.connector.connect_to_any().await?;
        let pooled = self.pooled(&connection.client).await?;
        let facts = read(&connection.client, self.schema.name()).await?;
        Ok(StoreFacts::Postgres(PostgresFacts { pooled, ..facts }))
    }
}

impl PostgresStore {
    /// Whether statements of a session reach different server processes (T120). Right after a statement a
    /// pooler has its server process back, and gives it to the next who asks.
    async fn pooled(&self, client: &Client) -> Result<bool, StoreError> {
        let mut others = Vec::new();
        for _ in 0..PROBES {
            others.push(self.connector.connect_to_any().await?);
        }
        let first = ask(client, "SELECT pg_backend_pid(), set_config('topo.doctor', 'set', false)").await?;
        for other in &others {
            if ask(client, "SELECT pg_backend_pid(), current_setting('topo.doctor', true)").await? != first {
                return Ok(true);
            }
            // Held until the connection is dropped.
            let theirs = ask(&other.client, "BEGIN; SELECT pg_backend_pid(), 'set'").await?;
            if theirs == first {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Process and mark, without a prepared statement: a pooler mixes those of several sessions up.
async fn ask(client: &Client, sql: &str) -> Result<(Option<String>, Option<String>), StoreError> {
    let fail = |e| store_error("can't see whether a pooler is in between", e);
    let answer = client.simple_query(sql).await.map_err(fail)?;
    let row = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let column = |index| row.and_then(|row| row.get(index)).map(str::to_owned);
    Ok((column(0), column(1)))
}

async fn read(client: &Client, schema: &str) -> Result<PostgresFacts, StoreError> {
    let rows = client
        .query_typed(include_str!("queries/health.sql"), &[(&schema, Type::TEXT)])
        .await
        .map_err(|e| store_error("can't read the store's settings", e))?;
    let Some(row) = rows.first() else {
        return Err(StoreError::new(StoreKind::Failed, "the store told nothing about its settings"));
    };
    Ok(PostgresFacts {
        version: row.get(0),
        version_number: row.get(1),
        user: row.get(2),
        fsync: row.get(3),
        full_page_writes: row.get(4),
        synchronous_commit_default: row.get(5),
        synchronous_commit: row.get(6),
        synchronous_standbys: row.get(7),
        in_recovery: row.get(8),
        read_only: row.get(9),
        pooled: false,
        may_create: row.get(10),
        may_use: row.get(11),
        may_write: row.get(12),
        idle_session_timeout_ms: row.get(13),
        clock_ms: row.get(14),
    })
}
