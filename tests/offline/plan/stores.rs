//! Tables and scripts of the stores.

use topo::domain::{
    code::Code,
    diff::diff,
    secret::Secret,
    stores::{ScriptObserved, StoreObserved, stores},
    topology::{QueueKind, StoreTarget},
};

use super::diff::{lines, orders, whole};
use crate::support::{consumer, name};

#[test]
fn stores_are_made_upgraded_and_never_downgraded() {
    let topology = orders(QueueKind::Quorum);
    let world = whole(&topology);
    let script = |found: Option<&str>| ScriptObserved {
        consumer: "ledger".to_owned(),
        path: "consumers/ledger/schema.sql".to_owned(),
        wanted: "new".to_owned(),
        found: found.map(str::to_owned),
    };
    let store = |version, found| StoreObserved {
        rule: None,
        label: "sqlite:topo.db".to_owned(),
        version,
        wanted: 2,
        scripts: vec![script(found)],
    };
    let made = [
        "create store sqlite:topo.db: schema_version none -> Integer(2)",
        "create store consumers/ledger/schema.sql: digest none -> Text(\"new\")",
    ];
    assert_eq!(lines(&diff(&topology, &world, &[store(None, None)])), made);
    let upgraded = [
        "update store sqlite:topo.db: schema_version Integer(1) -> Integer(2)",
        "update store consumers/ledger/schema.sql: digest Text(\"old\") -> Text(\"new\")",
    ];
    assert_eq!(lines(&diff(&topology, &world, &[store(Some(1), Some("old"))])), upgraded);
    let plan = diff(&topology, &world, &[store(Some(2), Some("new"))]);
    assert_eq!((plan.is_empty(), plan.keep), (true, 8));
    let plan = diff(&topology, &world, &[store(Some(3), Some("new"))]);
    assert_eq!(
        lines(&plan),
        ["replace store sqlite:topo.db: schema_version Integer(3) -> Integer(2) [TOPO0504]"]
    );
    assert!(plan.is_refused());
    assert_eq!(plan.changes[0].hazard, Some(Code::SchemaNewer));
}

#[test]
fn consumers_that_share_a_database_share_its_tables() {
    let mut topology = orders(QueueKind::Quorum);
    let mut own = consumer("archive");
    let url = Secret::new("postgres://u:Hunter2@host/db", "${TOPO_STORE_URL}");
    own.store = Some(StoreTarget { url, schema: name("archive") });
    topology.consumers.insert(name("archive"), own);
    topology.consumers.insert(name("audit"), consumer("audit"));
    let found: Vec<_> = stores(&topology)
        .iter()
        .map(|store| (store.label(), store.consumers.iter().map(|c| c.name.to_string()).collect::<Vec<_>>()))
        .collect();
    let expected = [
        ("postgres://u:***@host/db schema archive".to_owned(), vec!["archive".to_owned()]),
        ("sqlite:topo.db".to_owned(), vec!["audit".to_owned(), "ledger".to_owned()]),
    ];
    assert_eq!(found, expected);
}
