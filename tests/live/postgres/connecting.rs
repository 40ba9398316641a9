//! Connections that can't be made, TLS, and the settings of a session.

use std::time::Duration;

use topo::{
    adapters::postgres::{self, PostgresStore},
    domain::{name::Name, secret::Secret, topology::StoreTarget},
    ports::store::{Store, StoreError, StoreKind},
};

use crate::{
    conformance::make,
    harness::{ports, postgres::server},
    suite::store::{Fixture, SqlFixture, Worker, file, message, shard},
};

async fn look(url: &str) -> Result<(), StoreError> {
    let schema = Name::new("topo").unwrap();
    let store = PostgresStore::new(&Secret::new(url, url), &schema, Duration::from_secs(5))?;
    store.observe().await.map(drop)
}

async fn refusal(url: &str) -> StoreError {
    let error = look(url).await.unwrap_err();
    let mut shown = format!("{error} {error:?}");
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        shown.push_str(&format!(" {inner}"));
        cause = inner.source();
    }
    assert!(!shown.contains("topo-test") && !shown.contains("wrong-secret"), "a password: {shown}");
    error
}

#[tokio::test]
async fn a_wrong_password_and_a_missing_database_are_refused() {
    let f = make().await;
    let url = f.database.url();
    let error = refusal(&url.replace("topo-test", "wrong-secret")).await;
    assert_eq!(error.kind, StoreKind::Refused);
    assert!(error.to_string().contains("28P01"), "{error}");
    let error = refusal(&url.replace("conformance-", "nowhere-")).await;
    assert_eq!(error.kind, StoreKind::Refused);
    assert!(error.to_string().contains("3D000"), "{error}");
}

#[tokio::test]
async fn a_scram_secret_lets_in() {
    let f = make().await;
    let role = f.database.url().replace("postgres:topo-test@", "careful:topo-test@");
    f.query(
        "SET password_encryption = 'scram-sha-256'; DROP ROLE IF EXISTS careful; \
         CREATE ROLE careful LOGIN PASSWORD 'topo-test'",
    )
    .await;
    look(&role).await.unwrap();
    assert_eq!(refusal(&role.replace("topo-test", "wrong-secret")).await.kind, StoreKind::Refused);
}

#[tokio::test]
async fn a_server_that_is_down_is_unreachable() {
    let f = make().await;
    let error = refusal(&f.database.url_via(ports::free())).await;
    assert_eq!(error.kind, StoreKind::Unreachable);
    let error = refusal(&f.database.bare_url("nowhere.invalid")).await;
    assert_eq!(error.kind, StoreKind::Unreachable);
}

#[tokio::test]
async fn a_database_that_is_closed_for_a_while_is_unreachable_and_not_refused() {
    let f = make().await;
    f.query("UPDATE pg_database SET datallowconn = false WHERE datname = current_database()").await;
    let error = refusal(&f.database.url()).await;
    assert_eq!(error.kind, StoreKind::Unreachable, "{error}");
    assert!(error.to_string().contains("55000"), "{error}");
}

#[tokio::test]
async fn urls_that_make_no_sense_are_refused_before_connecting() {
    for url in ["mysql://localhost", "postgres://h/db?sslmode=maybe", "postgres://u:wrong-secret@h:port/db"] {
        assert_eq!(refusal(url).await.kind, StoreKind::Refused, "{url}");
    }
    let long =
        StoreTarget { url: Secret::new("postgres://h/d", ""), schema: Name::new("s".repeat(64)).unwrap() };
    assert_eq!(postgres::open(&long, Duration::ZERO).err().unwrap().kind, StoreKind::Refused);
}

#[tokio::test]
async fn tls_is_verified_against_the_named_roots_only() {
    let f = make().await;
    let (ca, foreign) = (server().ca(), server().foreign_ca());
    for (host, mode) in [("localhost", "verify-full"), ("127.0.0.1", "verify-ca"), ("localhost", "require")] {
        let url = format!("{}?sslmode={mode}&sslrootcert={}", f.database.bare_url(host), ca.display());
        look(&url).await.unwrap();
    }
    for mode in ["verify-full", "require", "prefer"] {
        let url =
            format!("{}?sslmode={mode}&sslrootcert={}", f.database.bare_url("localhost"), foreign.display());
        assert_eq!(refusal(&url).await.kind, StoreKind::Refused, "{mode}");
    }
    let gone = format!("{}?sslrootcert=/nowhere/ca.pem", f.database.bare_url("localhost"));
    assert_eq!(refusal(&gone).await.kind, StoreKind::Refused);
}

#[tokio::test]
async fn a_session_has_the_settings_that_free_a_dead_owner_s_locks() {
    let f = make().await;
    let store = f.store_at(&f.database.url(), Duration::from_millis(12_345));
    store.migrate().await.unwrap();
    store.run_schema("ledger", &f.schema()).await.unwrap();
    let handler = file(
        "h.sql",
        "INSERT INTO effects (message_id, note) SELECT :message_id, string_agg(name || '=' || current_setting(name), ' ' ORDER BY name)\n\
         FROM unnest(ARRAY['statement_timeout', 'synchronous_commit', 'client_connection_check_interval', 'transaction_isolation',\n\
                     'idle_in_transaction_session_timeout', 'tcp_keepalives_idle', 'tcp_user_timeout']) AS name",
    );
    let mut session = store.session(&handler).await.unwrap();
    let epoch = session.acquire(&shard(0), "me").await.unwrap();
    let mut worker = Worker { session, shard: shard(0), epoch };
    worker.run(&[message("a")]).await;
    let note = f.query("SELECT note FROM effects").await.swap_remove(0).unwrap();
    assert_eq!(
        note,
        "client_connection_check_interval=2s idle_in_transaction_session_timeout=20s statement_timeout=12345ms \
         synchronous_commit=on tcp_keepalives_idle=10 tcp_user_timeout=20000 transaction_isolation=read committed"
    );
}

#[tokio::test]
async fn a_weak_synchronous_commit_is_raised_and_a_strong_one_kept() {
    let f = make().await;
    for (role, effective) in [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")] {
        let url = format!("{}&options=-c%20synchronous_commit%3D{role}", f.database.url());
        let store = f.store_at(&url, Duration::from_secs(5));
        store.migrate().await.unwrap();
        store.run_schema("ledger", &f.schema()).await.unwrap();
        let handler = file(
            "h.sql",
            "INSERT INTO effects (message_id, note) VALUES (:message_id, current_setting('synchronous_commit'))",
        );
        let mut session = store.session(&handler).await.unwrap();
        let epoch = session.acquire(&shard(0), "me").await.unwrap();
        Worker { session, shard: shard(0), epoch }.run(&[message(role)]).await;
        let kept = f.query(&format!("SELECT note FROM effects WHERE message_id = '{role}'")).await;
        assert_eq!(kept, [Some(effective.to_owned())]);
    }
}

#[tokio::test]
async fn a_schema_s_name_is_an_identifier_and_never_sql() {
    let f = make().await;
    let schema = Name::new("we\"ird; DROP TABLE effects; --").unwrap();
    let store =
        PostgresStore::new(&Secret::new(f.database.url(), ""), &schema, Duration::from_secs(5)).unwrap();
    store.migrate().await.unwrap();
    store.run_schema("ledger", &f.schema()).await.unwrap();
    let mut session = store.session(&f.handler()).await.unwrap();
    let epoch = session.acquire(&shard(0), "me").await.unwrap();
    Worker { session, shard: shard(0), epoch }.run(&[message("a")]).await;
    assert_eq!(f.effects().await, ["a"]);
    assert_eq!(store.shards("ledger", 1).await.unwrap().len(), 1);
}
