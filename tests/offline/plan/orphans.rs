//! Queues that nobody looks after any more, and those that only look like it.

use std::collections::BTreeMap;

use topo::domain::{
    diff::diff,
    observed::{ObservedBinding, Orphan, QueueDetails, QueueStats, Value},
    orphans::find,
    saved::SavedPlan,
    template::Template,
    topology::{QueueKind, Topology},
};

use super::diff::{lines, orders, whole};
use crate::support::{consumer, name};

fn queue(dead_letters: Option<&str>) -> QueueDetails {
    let mut arguments = BTreeMap::new();
    if let Some(name) = dead_letters {
        arguments.insert("x-dead-letter-exchange".to_owned(), Value::Text(String::new()));
        arguments.insert("x-dead-letter-routing-key".to_owned(), Value::Text(name.to_owned()));
    }
    QueueDetails { kind: "quorum".to_owned(), durable: true, auto_delete: false, exclusive: false, arguments }
}

fn binding(source: &str, queue: &str, key: &str) -> ObservedBinding {
    ObservedBinding {
        source: source.to_owned(),
        destination: queue.to_owned(),
        to_queue: true,
        routing_key: key.to_owned(),
        has_arguments: false,
    }
}

fn orphans(
    topology: &Topology,
    queues: &[(&str, QueueDetails)],
    bindings: &[ObservedBinding],
) -> Vec<String> {
    let queues = queues.iter().map(|(name, queue)| ((*name).to_owned(), queue.clone())).collect();
    find(topology, &queues, &BTreeMap::new(), bindings).into_keys().collect()
}

#[test]
fn queues_of_other_generations_and_removed_consumers_are_found() {
    let topology = orders(QueueKind::Quorum);
    let queues = [
        // Of the file.
        ("orders.ledger.g1.0", queue(Some("orders.ledger.dead"))),
        ("orders.ledger.dead", queue(None)),
        // Others.
        ("orders.ledger.g1.2", queue(Some("orders.ledger.dead"))),
        ("orders.ledger.g2.0", queue(Some("orders.ledger.dead"))),
        ("orders.audit-log.g1.0", queue(Some("orders.audit-log.dead"))),
        ("orders.audit-log.dead", queue(None)),
        ("orders.gone.dead", queue(None)),
    ];
    let expected = [
        "orders.audit-log.dead",
        "orders.audit-log.g1.0",
        "orders.gone.dead",
        "orders.ledger.g1.2",
        "orders.ledger.g2.0",
    ];
    assert_eq!(orphans(&topology, &queues, &[]), expected);
}

#[test]
fn what_the_templates_do_not_explain_is_never_an_orphan() {
    let topology = orders(QueueKind::Quorum);
    let transient = QueueDetails { durable: false, ..queue(None) };
    let queues = [
        ("orders", queue(None)),
        ("orders.ledger", queue(None)),
        ("orders.ledger.g1", queue(None)),
        ("orders.ledger.g1.01", queue(None)),
        ("orders.ledger.g1.x", queue(None)),
        ("orders.ledger.g1.0.bak", queue(None)),
        ("orders..g1.0", queue(None)),
        ("xorders.ledger.g1.5", queue(None)),
        ("orders.ledger.g1.99999999999", queue(None)),
        ("orders.transient.g1.0", transient),
        ("orders.auto.dead", QueueDetails { auto_delete: true, ..queue(None) }),
    ];
    assert_eq!(orphans(&topology, &queues, &[]), [""; 0]);
    // Bound to our exchange, but not by a key of ours.
    let bound = [binding("orders", "tap", "orders.g1.0of2")];
    assert_eq!(orphans(&topology, &[("tap", queue(None))], &bound), [""; 0]);
}

#[test]
fn another_topology_with_a_longer_name_keeps_its_queues() {
    let topology = orders(QueueKind::Quorum);
    let queues = [
        ("orders.eu.ledger.g1.0", queue(Some("orders.eu.ledger.dead"))),
        ("orders.eu.ledger.dead", queue(None)),
    ];
    // Also half-made, without its bindings.
    assert_eq!(orphans(&topology, &queues, &[]), [""; 0]);
    let theirs = [binding("orders.eu", "orders.eu.ledger.g1.0", "orders.eu.g1.0of2")];
    assert_eq!(orphans(&topology, &queues, &theirs), [""; 0]);
    // Bound to our exchange by a key of ours it was made for a consumer with a dot in its name.
    let ours = [binding("orders", "orders.eu.ledger.g1.0", "orders.g1.0of2")];
    assert_eq!(orphans(&topology, &queues, &ours), ["orders.eu.ledger.dead", "orders.eu.ledger.g1.0"]);
    let by_hand = [binding("orders", "orders.eu.ledger.g1.0", "#")];
    assert_eq!(orphans(&topology, &queues, &by_hand), [""; 0]);
    // A consumer of the file may have a dot in its name.
    let mut dotted = topology;
    dotted.consumers.insert(name("eu.ledger"), consumer("eu.ledger"));
    let other = [("orders.eu.ledger.g7.0", queue(None))];
    assert_eq!(orphans(&dotted, &other, &[]), ["orders.eu.ledger.g7.0"]);
}

#[test]
fn a_queue_that_others_use_is_theirs() {
    let topology = orders(QueueKind::Quorum);
    let fed = [("orders.audit.g1.0", queue(None))];
    assert_eq!(orphans(&topology, &fed, &[binding("invoices", "orders.audit.g1.0", "x")]), [""; 0]);
    let shared = [("orders.audit.dead", queue(None)), ("other", queue(Some("orders.audit.dead")))];
    assert_eq!(orphans(&topology, &shared, &[]), [""; 0]);
}

#[test]
fn templates_without_the_topology_need_a_binding_as_proof() {
    let mut topology = orders(QueueKind::Quorum);
    topology.queues.name = Template::parse("{consumer}-{generation}-{shard}").unwrap();
    topology.queues.dead_letter = Template::parse("{consumer}-dead").unwrap();
    let queues =
        [("audit-1-0", queue(Some("audit-dead"))), ("audit-dead", queue(None)), ("x-dead", queue(None))];
    assert_eq!(orphans(&topology, &queues, &[]), [""; 0]);
    let bound = [binding("orders", "audit-1-0", "orders.g1.0of2")];
    assert_eq!(orphans(&topology, &queues, &bound), ["audit-1-0", "audit-dead"]);
    // Nothing between the fields: any text can be a consumer.
    topology.queues.name = Template::parse("{topology}{consumer}{shard}").unwrap();
    assert_eq!(orphans(&topology, &[("orders2audit0", queue(None))], &[]), [""; 0]);
}

#[test]
fn an_orphan_is_told_with_its_counts_and_its_bindings_only_once() {
    let topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    world.bindings.as_mut().unwrap().push(binding("orders", "orders.audit.g1.0", "orders.g1.0of2"));
    let stats = QueueStats { ready: 5, unacked: Some(1), consumers: 2, active_tag: None };
    let orphan = Orphan { details: queue(None), stats: Some(stats), bindings: 1, fed: false };
    world.orphans.insert("orders.audit.g1.0".to_owned(), orphan);
    let plan = diff(&topology, &world, &[]);
    let counts = "ready Integer(5) -> none; unacked Integer(1) -> none; consumers Integer(2) -> none; bindings Integer(1) -> none";
    assert_eq!(lines(&plan), [format!("foreign queue orders.audit.g1.0: {counts} [TOPO0218]")]);
    assert!(!plan.is_empty() && !plan.has_work());
    let before = SavedPlan::of(&topology, &plan, false);
    world.orphans.values_mut().for_each(|orphan| orphan.stats.as_mut().unwrap().ready = 6);
    let now = SavedPlan::of(&topology, &diff(&topology, &world, &[]), false);
    assert_eq!(before.differences(&now), [""; 0], "a saved plan is still the plan");
    world.orphans.values_mut().for_each(|orphan| orphan.stats = None);
    let plan = diff(&topology, &world, &[]);
    assert_eq!(lines(&plan), ["foreign queue orders.audit.g1.0: bindings Integer(1) -> none [TOPO0218]"]);
    assert_eq!(plan.unchecked, ["the messages of 1 orphans can't be counted now (orders.audit.g1.0 first)"]);
}

#[test]
fn a_default_queue_type_is_mentioned_and_makes_no_difference() {
    let topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    world.default_queue_type = Some("quorum".to_owned());
    assert!(diff(&topology, &world, &[]).changes.is_empty());
    // What every vhost of 4.x has.
    world.default_queue_type = Some("classic".to_owned());
    assert!(diff(&topology, &world, &[]).changes.is_empty());
    world.default_queue_type = Some("stream".to_owned());
    let plan = diff(&topology, &world, &[]);
    assert_eq!((plan.changes.len(), plan.is_empty()), (1, true), "{:?}", lines(&plan));
    // It explains why a queue is of another type.
    world.default_queue_type = Some("classic".to_owned());
    let queue = world.queues.get_mut("orders.ledger.g1.0").unwrap();
    queue.details.as_mut().unwrap().kind = "classic".to_owned();
    let explained = [
        "replace queue orders.ledger.g1.0: x-queue-type Text(\"classic\") -> Text(\"quorum\") [TOPO0202]",
        "foreign queue without a type in this vhost: default_queue_type Text(\"classic\") -> Text(\"quorum\") [TOPO0219]",
    ];
    assert_eq!(lines(&diff(&topology, &world, &[])), explained);
}
