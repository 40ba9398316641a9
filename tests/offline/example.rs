//! The shipped example: its files have no problems.

use std::path::Path;

use topo::{
    domain::{consumer::Handler, name::Name},
    spec,
};

#[test]
fn the_shipped_topology_has_no_problems() {
    let loaded = spec::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("topology.yaml"), &|_| None).unwrap();
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    let topology = loaded.topology.expect("a topology without problems");
    assert_eq!(topology.shards.count, 8);
    let ledger = &topology.consumers[&Name::new("ledger").unwrap()];
    assert!(matches!(ledger.handler, Some(Handler::Sql(_))));
    assert!(ledger.schema.is_some());
}
