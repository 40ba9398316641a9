//! The store in a SQLite file.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use rusqlite::Connection;
use tempfile::TempDir;
use topo::{
    adapters::sqlite::{self, SqliteStore},
    domain::{consumer::SqlFile, name::Name, secret::Secret, topology::StoreTarget},
    ports::store::{Store, StoreKind},
};

use crate::suite::store::{
    Fixture, SqlFixture, Worker, file, message, shard, sql_conformance, store_conformance,
};

struct Sqlite {
    dir: TempDir,
    store: Arc<SqliteStore>,
}

async fn make() -> Sqlite {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::new(dir.path().join("topo.db"), Duration::from_secs(30)));
    Sqlite { dir, store }
}

impl Sqlite {
    fn connection(&self) -> Connection {
        Connection::open(self.dir.path().join("topo.db")).unwrap()
    }
}

#[async_trait]
impl Fixture for Sqlite {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    fn schema(&self) -> SqlFile {
        file(
            "schema.sql",
            "CREATE TABLE IF NOT EXISTS effects (\n\
             place INTEGER PRIMARY KEY, message_id text NOT NULL CHECK (message_id <> 'poison'),\n\
             key text, sequence integer, amount integer, note text, needed text NOT NULL DEFAULT '')",
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
        let conn = self.connection();
        let sql = "SELECT shard, position, message_id FROM processed_messages \
                   WHERE consumer = 'ledger' ORDER BY shard, position";
        let mut statement = conn.prepare(sql).unwrap();
        let row =
            |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs(), row.get(2)?));
        statement.query_map([], row).unwrap().map(Result::unwrap).collect()
    }

    async fn make_newer(&self) {
        self.connection().execute("INSERT INTO schema_version VALUES (99, 0)", []).unwrap();
    }
}

#[async_trait]
impl SqlFixture for Sqlite {
    async fn query(&self, sql: &str) -> Vec<Option<String>> {
        let conn = self.connection();
        let mut statement = conn.prepare(sql).unwrap();
        let text = |row: &rusqlite::Row<'_>| {
            use rusqlite::types::ValueRef;
            Ok(match row.get_ref(0)? {
                ValueRef::Null => None,
                ValueRef::Integer(number) => Some(number.to_string()),
                ValueRef::Real(number) => Some(number.to_string()),
                ValueRef::Text(text) | ValueRef::Blob(text) => {
                    Some(String::from_utf8_lossy(text).into_owned())
                }
            })
        };
        statement.query_map([], text).unwrap().map(Result::unwrap).collect()
    }

    fn table(&self, name: &str) -> String {
        name.to_owned()
    }

    fn batch_handler(&self) -> SqlFile {
        file(
            "handler.sql",
            "INSERT INTO effects (message_id, amount)\n\
             SELECT value ->> 'message_id', CAST(value -> 'body' ->> 'amount' AS integer)\n\
             FROM json_each(:messages) ORDER BY key",
        )
    }
}

store_conformance!(make);
sql_conformance!(make);

#[tokio::test]
async fn looking_at_a_missing_file_does_not_make_it() {
    let f = make().await;
    f.store.observe().await.unwrap();
    assert!(f.store.session(&f.handler()).await.is_err());
    assert!(!f.dir.path().join("topo.db").exists());
}

#[tokio::test]
async fn a_directory_that_is_missing_makes_the_store_unreachable() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::new(dir.path().join("none/topo.db"), Duration::from_secs(1));
    let error = store.migrate().await.unwrap_err();
    assert_eq!(error.kind, StoreKind::Unreachable);
    assert!(error.to_string().contains("none/topo.db"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_said_so() {
    let f = make().await;
    std::fs::write(f.dir.path().join("topo.db"), "this is a letter, not a database, and long enough to see")
        .unwrap();
    let error = f.store.observe().await.unwrap_err();
    assert_eq!(error.kind, StoreKind::Unreachable);
    assert!(error.to_string().contains("not a database"), "{error}");
}

#[tokio::test]
async fn a_url_without_a_file_is_refused() {
    for url in ["sqlite:", "sqlite::memory:", "sqlite://"] {
        let target = StoreTarget { url: Secret::new(url, url), schema: Name::new("topo").unwrap() };
        assert_eq!(sqlite::open(&target, Duration::from_secs(1)).err().unwrap().kind, StoreKind::Refused);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_a_foreign_writer_ends_and_can_be_tried_again() {
    let f = make().await;
    let mut worker = Worker::start(&f, 0).await;
    let impatient = SqliteStore::new(f.dir.path().join("topo.db"), Duration::from_millis(20));
    let mut session = impatient.session(&f.handler()).await.unwrap();
    worker.begin().await.unwrap();
    assert_eq!(session.begin(&shard(1), worker.epoch).await.unwrap_err().kind, StoreKind::Retryable);
    assert_eq!(session.acquire(&shard(1), "me").await.unwrap_err().kind, StoreKind::Retryable);
    worker.session.commit().await.unwrap();
    let epoch = session.acquire(&shard(1), "me").await.unwrap();
    session.begin(&shard(1), epoch).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_takes_too_long_is_interrupted() {
    let f = make().await;
    let endless = file(
        "h.sql",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i = :sequence",
    );
    let mut patient = Worker::start(&f, 0).await;
    let store = SqliteStore::new(f.dir.path().join("topo.db"), Duration::from_millis(50));
    let mut session = store.session(&endless).await.unwrap();
    session.begin(&shard(0), patient.epoch).await.unwrap();
    session.claim(&[message("a")]).await.unwrap();
    let failure = session.apply(&[&message("a")]).await.unwrap_err();
    assert_eq!(failure.error.kind, StoreKind::Retryable, "{}", failure.error);
    session.commit().await.unwrap_err();
    patient.run(&[message("a")]).await;
}

#[tokio::test]
async fn a_statement_that_makes_sqlite_roll_back_by_itself_is_not_a_commit() {
    let f = make().await;
    let handler = file(
        "h.sql",
        "INSERT INTO effects (message_id) VALUES (:message_id);\n\
         INSERT OR ROLLBACK INTO effects (place, message_id) VALUES (1, :message_id)",
    );
    let mut worker = Worker::start_with(&f, &handler, shard(0)).await;
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.unwrap_err();
    worker.session.commit().await.unwrap_err();
    assert!(f.positions().await.is_empty());
    assert!(f.effects().await.is_empty());
}

#[tokio::test]
async fn a_commit_is_synced_and_the_log_is_wal() {
    let f = make().await;
    f.store.migrate().await.unwrap();
    assert_eq!(f.query("PRAGMA journal_mode").await, [Some("wal".to_owned())]);
}
