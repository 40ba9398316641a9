//! `topo doctor` on PostgreSQL: each setting that weakens a promise is named.
//!
//! The tests' server itself runs without fsync and full page writes.

use crate::{
    cast::plain,
    doctor::{findings, names},
    harness::{
        pooler::Pooler,
        postgres::Database,
        rabbitmq::Vhost,
        topo::{Finished, Workdir},
    },
};

/// Looks at a topology whose store has this URL.
async fn doctor(vhost: &Vhost<'_>, store: &str) -> Finished {
    let topology = format!("{}consumers: {{ledger: {{}}}}\n", plain("kept"));
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .env("TOPO_STORE_URL", store)
        .file("topology.yaml", &topology)
        // Only a consumer with files has a store.
        .file("consumers/ledger/handler.sql", "SELECT :message_id;");
    work.topo(&["doctor", "-o", "json"]).await
}

async fn run(database: &Database, sql: &str) {
    database.client().await.batch_execute(sql).await.expect("a setting");
}

/// `ALTER DATABASE` of the test's own.
async fn alter(database: &Database, setting: &str) {
    let name = database.query("SELECT current_database()").await.remove(0).expect("a name");
    run(database, &format!("ALTER DATABASE \"{name}\" {setting}")).await;
}

#[tokio::test]
async fn settings_that_lose_commits_are_named() {
    let vhost = Vhost::fresh("weak");
    let database = Database::fresh("weak").await;
    let before = doctor(&vhost, &database.url()).await.expect_code(3);
    names(&before, "store.fsync", "problem", "TOPO0236");
    names(&before, "store.full_page_writes", "problem", "TOPO0236");
    let others: Vec<_> = findings(&before)
        .into_iter()
        .map(|(name, ..)| name)
        .filter(|name| name.starts_with("store") && name != "store.fsync" && name != "store.full_page_writes")
        .collect();
    assert!(others.is_empty(), "{others:?}");

    alter(&database, "SET synchronous_commit = off").await;
    alter(&database, "SET idle_session_timeout = '10min'").await;
    let after = doctor(&vhost, &database.url()).await.expect_code(3);
    names(&after, "store.synchronous_commit", "warning", "TOPO0236");
    names(&after, "store.idle_session_timeout", "warning", "TOPO0243");
    assert!(after.stdout.contains("topo's own transactions work with on"), "{}", after.stdout);
}

#[tokio::test]
async fn a_database_that_takes_no_writes_is_named() {
    let vhost = Vhost::fresh("readonly");
    let database = Database::fresh("readonly").await;
    alter(&database, "SET default_transaction_read_only = on").await;
    let ran = doctor(&vhost, &database.url()).await;
    names(&ran, "store.writable", "problem", "TOPO0243");
}

#[tokio::test]
async fn a_user_without_rights_is_told_which_one_is_missing() {
    let vhost = Vhost::fresh("poor");
    let database = Database::fresh("poor").await;
    run(&database, "CREATE ROLE poor LOGIN PASSWORD 'poor'").await;
    let url = database.url().replacen("postgres:topo-test@", "poor:poor@", 1);
    let ran = doctor(&vhost, &url).await.expect_code(3);
    names(&ran, "store.rights", "problem", "TOPO0235");
    assert!(ran.stdout.contains("poor may not create topo's schema"), "{}", ran.stdout);
    run(&database, "CREATE SCHEMA topo").await;
    let ran = doctor(&vhost, &url).await.expect_code(3);
    assert!(ran.stdout.contains("poor may not use topo's schema"), "{}", ran.stdout);
}

#[tokio::test]
async fn a_pooler_that_pools_by_transaction_is_named_and_one_by_session_is_well() {
    let vhost = Vhost::fresh("pooled");
    let database = Database::fresh("pooled").await;
    for (mode, is_well) in [("session", true), ("transaction", false)] {
        let pooler = Pooler::start(mode);
        let ran = doctor(&vhost, &database.url_via(pooler.port())).await;
        let named = findings(&ran).iter().any(|(name, ..)| name == "store.sessions");
        assert_eq!(named, !is_well, "{mode}: {}", ran.stdout);
        assert_eq!(
            ran.stdout.contains("a connection stays with its server process"),
            is_well,
            "{}",
            ran.stdout
        );
    }
}
