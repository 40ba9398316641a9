//! topo's tables, their version, and the consumers' own.

use topo::ports::store::StoreKind;

use super::{Fixture, SqlFixture, Worker, file, message};

pub(crate) async fn an_empty_store_has_no_version(f: impl Fixture) {
    let seen = f.store().observe().await.expect("a look");
    assert_eq!(seen.version, None);
    assert!(seen.wanted >= 1);
    // Looking creates nothing.
    assert_eq!(f.store().observe().await.expect("a look").version, None);
}

pub(crate) async fn migrating_twice_is_migrating_once(f: impl Fixture) {
    let store = f.store();
    let (one, two) = tokio::join!(store.migrate(), store.migrate());
    one.and(two).expect("tables");
    store.migrate().await.expect("nothing to do");
    let seen = store.observe().await.expect("a look");
    assert_eq!(seen.version, Some(seen.wanted));
}

pub(crate) async fn without_tables_there_is_no_session(f: impl Fixture) {
    let error = f.store().session(&f.handler()).await.err().expect("a refusal");
    assert_eq!(error.kind, StoreKind::SchemaMissing);
    let error = f.store().shards("ledger", 1).await.expect_err("a refusal");
    assert_eq!(error.kind, StoreKind::SchemaMissing);
}

pub(crate) async fn a_newer_schema_is_refused(f: impl Fixture) {
    let store = f.store();
    store.migrate().await.expect("tables");
    f.make_newer().await;
    assert_eq!(store.migrate().await.expect_err("a refusal").kind, StoreKind::SchemaNewer);
    let error = store.session(&f.handler()).await.err().expect("a refusal");
    assert_eq!(error.kind, StoreKind::SchemaNewer);
    let seen = store.observe().await.expect("a look");
    assert!(seen.version > Some(seen.wanted));
}

pub(crate) async fn a_schema_is_run_twice_and_its_digest_kept(f: impl Fixture) {
    let store = f.store();
    store.migrate().await.expect("tables");
    assert_eq!(store.schema_digest("ledger").await.expect("a look"), None);
    let schema = f.schema();
    store.run_schema("ledger", &schema).await.expect("the first run");
    store.run_schema("ledger", &schema).await.expect("the second run");
    assert_eq!(store.schema_digest("ledger").await.expect("a look"), Some(schema.digest()));
    assert_eq!(store.schema_digest("audit").await.expect("a look"), None);
    let changed = file("schema.sql", &format!("{}\n-- changed", schema.text));
    store.run_schema("ledger", &changed).await.expect("a changed one");
    assert_eq!(store.schema_digest("ledger").await.expect("a look"), Some(changed.digest()));
}

pub(crate) async fn shards_are_listed(f: impl Fixture) {
    let mut three = Worker::start(&f, 3).await;
    Worker::start(&f, 0).await;
    three.run(&[message("a"), message("b")]).await;
    let shards = f.store().shards("ledger", 1).await.expect("shards");
    let seen: Vec<_> =
        shards.iter().map(|s| (s.shard, s.epoch, s.owner.as_deref(), s.position, s.paused)).collect();
    assert_eq!(seen, [(0, 1, Some("me"), 0, false), (3, 1, Some("me"), 2, false)]);
    assert!(f.store().shards("ledger", 2).await.expect("shards").is_empty());
    assert!(f.store().shards("audit", 1).await.expect("shards").is_empty());
}

pub(crate) async fn a_sealed_shard_has_no_owner(f: impl SqlFixture) {
    let mut worker = Worker::start(&f, 0).await;
    let owners = f.table("shard_owners");
    f.query(&format!("UPDATE {owners} SET sealed_at = acquired_at WHERE shard = 0")).await;
    assert_eq!(worker.begin().await.expect_err("sealed").kind, StoreKind::Fenced);
    let error = worker.session.acquire(&worker.shard, "me").await.expect_err("sealed");
    assert_eq!(error.kind, StoreKind::Fenced);
    Worker::start(&f, 1).await.run(&[message("a")]).await;
}

pub(crate) async fn shards_with_parked_messages_are_listed(f: impl SqlFixture) {
    Worker::start(&f, 1).await.run(&[message("a")]).await;
    // Its row lends a time and bytes, which the engines write differently.
    let (keys, messages, row) =
        (f.table("parked_keys"), f.table("parked_messages"), f.table("processed_messages"));
    for (shard, key) in [(1, "k"), (1, "l"), (4, "m")] {
        f.query(&format!(
            "INSERT INTO {keys} (consumer, key, shard, reason, attempts, since) \
             SELECT 'ledger', '{key}', {shard}, 'failed', 5, processed_at FROM {row}"
        ))
        .await;
    }
    for (place, key) in [(1, "k"), (2, "k"), (1, "m")] {
        f.query(&format!(
            "INSERT INTO {messages} (consumer, key, place, message_id, envelope, body, reason, parked_at) \
             SELECT 'ledger', '{key}', {place}, '{key}{place}', '{{}}', body_hash, 'failed', processed_at FROM {row}"
        ))
        .await;
    }
    let shards = f.store().shards("ledger", 1).await.expect("shards");
    let seen: Vec<_> = shards.iter().map(|s| (s.shard, s.epoch, s.parked_keys, s.parked_messages)).collect();
    assert_eq!(seen, [(1, 1, 2, 2), (4, 0, 1, 1)]);
}
