//! Bindings that are not ours.

use topo::domain::{diff::diff, observed::ObservedBinding, topology::QueueKind};

use super::diff::{lines, orders, whole};

#[test]
fn a_binding_with_arguments_is_foreign_and_does_not_count_as_ours() {
    let topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    world.bindings.as_mut().unwrap()[0].has_arguments = true;
    let expected = [
        "create binding orders -> orders.ledger.g1.0 (orders.g1.0of2)",
        "foreign binding orders -> orders.ledger.g1.0 (orders.g1.0of2) with arguments [TOPO0206]",
    ];
    assert_eq!(lines(&diff(&topology, &world, &[])), expected);
}

#[test]
fn foreign_bindings_are_differences_that_are_not_ours_to_mend() {
    let topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    let bindings = world.bindings.as_mut().unwrap();
    let ours = bindings[0].clone();
    let mut foreign = |source: &str, destination: &str, to_queue: bool| {
        let (source, destination) = (source.to_owned(), destination.to_owned());
        bindings.push(ObservedBinding { source, destination, to_queue, ..ours.clone() });
    };
    foreign("other", "orders.ledger.g1.0", true);
    foreign("other", "orders.ledger.dead", true);
    foreign("other", "orders", false);
    foreign("orders", "orders.ledger.g1.1", true);
    foreign("orders", "audit", true);
    foreign("orders", "audit", false);
    let plan = diff(&topology, &world, &[]);
    let expected = [
        "foreign binding orders -> exchange audit (orders.g1.0of2) [TOPO0220]",
        "foreign binding orders -> audit (orders.g1.0of2) [TOPO0220]",
        "foreign binding orders -> orders.ledger.g1.1 (orders.g1.0of2) [TOPO0206]",
        "foreign binding other -> exchange orders (orders.g1.0of2) [TOPO0206]",
        "foreign binding other -> orders.ledger.dead (orders.g1.0of2) [TOPO0206]",
        "foreign binding other -> orders.ledger.g1.0 (orders.g1.0of2) [TOPO0206]",
    ];
    assert_eq!(lines(&plan), expected);
    assert!(!plan.is_empty() && !plan.has_work() && plan.keep == 6);
}
