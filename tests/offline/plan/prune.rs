//! Which orphans are deleted on demand, and why others stay.

use std::collections::BTreeMap;

use topo::domain::{
    diff::diff,
    observed::{Observed, ObservedBinding, Orphan, QueueDetails, QueueStats, Value},
    plan::Plan,
    prune::prune,
    topology::QueueKind,
};

use super::{
    diff::{lines, orders, whole},
    world::carry_out,
};

fn orphan(dead_letters: Option<&str>, stats: Option<QueueStats>) -> Orphan {
    let mut arguments = BTreeMap::new();
    if let Some(name) = dead_letters {
        arguments.insert("x-dead-letter-routing-key".to_owned(), Value::Text(name.to_owned()));
    }
    let kind = "quorum".to_owned();
    let details = QueueDetails { kind, durable: true, auto_delete: false, exclusive: false, arguments };
    Orphan { details, stats, bindings: 0, fed: false }
}

fn empty() -> Option<QueueStats> {
    Some(QueueStats { unacked: Some(0), ..QueueStats::default() })
}

fn world(orphans: &[(&str, Orphan)]) -> Observed {
    let mut world = whole(&orders(QueueKind::Quorum));
    world.orphans = orphans.iter().map(|(name, orphan)| ((*name).to_owned(), orphan.clone())).collect();
    world
}

fn pruned(world: &Observed) -> Plan {
    let topology = orders(QueueKind::Quorum);
    let mut plan = diff(&topology, world, &[]);
    prune(&topology, world, &mut plan);
    plan
}

#[test]
fn empty_orphans_that_nobody_uses_go_after_their_bindings_and_then_nothing_is_left() {
    let dead = "orders.audit.dead";
    let shard = orphan(Some(dead), empty());
    let mut world = world(&[("orders.audit.g1.0", shard), (dead, orphan(None, empty()))]);
    for has_arguments in [false, true] {
        world.bindings.as_mut().unwrap().push(ObservedBinding {
            source: "orders".to_owned(),
            destination: "orders.audit.g1.0".to_owned(),
            to_queue: true,
            routing_key: "orders.g1.0of2".to_owned(),
            has_arguments,
        });
    }
    let plan = pruned(&world);
    let expected = [
        "delete binding orders -> orders.audit.g1.0 (orders.g1.0of2)",
        "delete queue orders.audit.dead",
        "delete queue orders.audit.g1.0",
    ];
    assert_eq!(lines(&plan), expected);
    assert!(plan.unchecked.is_empty() && plan.clone().approve().is_some());
    for step in plan.steps() {
        carry_out(&mut world, step);
    }
    assert!(pruned(&world).is_empty() && pruned(&world).changes.is_empty());
}

#[test]
fn whatever_is_used_or_can_t_be_seen_stays_and_says_why() {
    let stats = |ready, unacked, consumers| Some(QueueStats { ready, unacked, consumers, active_tag: None });
    let cases = [
        (stats(1, Some(0), 0), false, "it holds messages"),
        (stats(0, Some(1), 0), false, "it holds messages"),
        (stats(0, None, 0), false, "its unacknowledged messages can't be counted now"),
        (stats(0, Some(0), 1), false, "consumers are attached to it"),
        (None, false, "its messages can't be counted now"),
        (empty(), true, "an exchange of others feeds it"),
    ];
    let dead = "orders.audit.dead";
    for (stats, fed, why) in cases {
        let shard = Orphan { fed, ..orphan(Some(dead), stats) };
        let plan = pruned(&world(&[("orders.audit.g1.0", shard), (dead, orphan(None, empty()))]));
        assert_eq!(plan.steps().count(), 0, "{why}: {plan:?}");
        assert!(lines(&plan).iter().all(|line| line.starts_with("foreign queue orders.audit.")), "{plan:?}");
        let said =
            |queue: &str, why: &str| plan.unchecked.contains(&format!("queue {queue} is not pruned: {why}"));
        assert!(said("orders.audit.g1.0", why), "{plan:?}");
        assert!(said(dead, "a queue that stays sends its dead letters there"), "{plan:?}");
    }
}
