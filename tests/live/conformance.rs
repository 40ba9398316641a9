//! The suites over PostgreSQL.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use topo::{
    adapters::postgres::PostgresStore,
    domain::{consumer::SqlFile, name::Name, secret::Secret},
    ports::store::Store,
};

use crate::{
    harness::postgres::Database,
    suite::store::{Fixture, SqlFixture, file, sql_conformance, store_conformance},
};

/// A database of its own.
pub(crate) struct Postgres {
    pub(crate) database: Database,
}

pub(crate) async fn make() -> Postgres {
    Postgres { database: Database::fresh("conformance").await }
}

impl Postgres {
    /// A store whose tables lie in the schema `topo`.
    pub(crate) fn store_at(&self, url: &str, timeout: Duration) -> Arc<PostgresStore> {
        let schema = Name::new("topo").expect("a name");
        Arc::new(PostgresStore::new(&Secret::new(url, "${URL}"), &schema, timeout).expect("a store"))
    }
}

#[async_trait]
impl Fixture for Postgres {
    fn store(&self) -> Arc<dyn Store> {
        self.store_at(&self.database.url(), Duration::from_secs(30))
    }

    fn schema(&self) -> SqlFile {
        file(
            "schema.sql",
            "CREATE TABLE IF NOT EXISTS effects (\n\
             place bigserial PRIMARY KEY, message_id text NOT NULL CHECK (message_id <> 'poison'),\n\
             key text, sequence bigint, amount integer, note text, needed text NOT NULL DEFAULT '');",
        )
    }

    fn handler(&self) -> SqlFile {
        file(
            "handler.sql",
            "INSERT INTO effects (message_id, key, sequence, amount)\n\
             VALUES (:message_id, :key, :sequence, CAST(:body ->> 'amount' AS integer));",
        )
    }

    async fn effects(&self) -> Vec<String> {
        self.query("SELECT message_id FROM effects ORDER BY place").await.into_iter().flatten().collect()
    }

    async fn positions(&self) -> Vec<(u32, u64, String)> {
        let sql = "SELECT shard, position, message_id FROM topo.processed_messages \
                   WHERE consumer = 'ledger' ORDER BY shard, position";
        let rows = self.database.client().await.query(sql, &[]).await.expect("rows");
        rows.iter()
            .map(|row| (row.get::<_, i32>(0).unsigned_abs(), row.get::<_, i64>(1).unsigned_abs(), row.get(2)))
            .collect()
    }

    async fn make_newer(&self) {
        self.query("INSERT INTO topo.schema_version VALUES (99, now())").await;
    }
}

#[async_trait]
impl SqlFixture for Postgres {
    async fn query(&self, sql: &str) -> Vec<Option<String>> {
        self.database.query(sql).await
    }

    fn table(&self, name: &str) -> String {
        format!("topo.{name}")
    }

    fn batch_handler(&self) -> SqlFile {
        file(
            "handler.sql",
            "INSERT INTO effects (message_id, amount)\n\
             SELECT m ->> 'message_id', CAST(m -> 'body' ->> 'amount' AS integer)\n\
             FROM jsonb_array_elements(:messages) WITH ORDINALITY AS e (m, n) ORDER BY n",
        )
    }
}

store_conformance!(make);
sql_conformance!(make);
