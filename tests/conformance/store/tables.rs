//! topo's tables, their version, and the consumers' own.

use topo::ports::store::StoreKind;

use super::{Fixture, Worker, file, message};

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
