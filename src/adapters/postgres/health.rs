//! How a database is, seen through connections made like a consumer's.

use async_trait::async_trait;
use tokio_postgres::Client;

use super::{PostgresStore, error::store_error};
use crate::{
    domain::doctor::facts::{PostgresFacts, StoreFacts},
    ports::{health::StoreHealth, store::StoreError},
};

/// A session's own setting; the server does not know what it means.
const MARK: &str = "topo.doctor";

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
    /// Whether a session's settings get lost between statements (T120). A second connection takes the server
    /// process that a pooler would have just got back.
    async fn pooled(&self, client: &Client) -> Result<bool, StoreError> {
        let fail = |e| store_error("can't see whether a pooler is in between", e);
        let before = client.query_one("SELECT pg_backend_pid(), set_config($1, $2, false)", &[&MARK, &"set"]);
        let before: i32 = before.await.map_err(fail)?.get(0);
        let other = self.connector.connect_to_any().await?;
        other.client.batch_execute("BEGIN; SELECT pg_backend_pid()").await.map_err(fail)?;
        let after = client.query_one("SELECT pg_backend_pid(), current_setting($1, true)", &[&MARK]);
        let after = after.await.map_err(fail)?;
        let mark: Option<String> = after.get(1);
        Ok(after.get::<_, i32>(0) != before || mark.as_deref() != Some("set"))
    }
}

async fn read(client: &Client, schema: &str) -> Result<PostgresFacts, StoreError> {
    let row = client
        .query_one(include_str!("queries/health.sql"), &[&schema])
        .await
        .map_err(|e| store_error("can't read the store's settings", e))?;
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
