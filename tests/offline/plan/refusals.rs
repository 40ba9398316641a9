//! Arguments of the file against the version of the live broker.

use topo::domain::{
    code::Code,
    diff::diff,
    observed::Value,
    plan::{Action, Plan},
    topology::QueueKind,
    version::BrokerVersion,
};

use super::{diff::orders, world::nothing};

fn plan(kind: QueueKind, argument: (&str, Value), version: Option<&str>) -> Plan {
    let mut topology = orders(kind);
    topology.queues.arguments = [(argument.0.to_owned(), argument.1)].into();
    let mut world = nothing();
    world.broker_version = version.map(str::to_owned);
    diff(&topology, &world, &[])
}

fn old_format() -> (&'static str, Value) {
    ("x-queue-version", Value::Integer(1))
}

#[test]
fn what_the_live_version_refuses_is_refused_before_anything_is_made() {
    let plan = plan(QueueKind::Classic, old_format(), Some("4.3.6"));
    let refused: Vec<_> = plan.changes.iter().filter(|change| change.is_refusal()).collect();
    assert!(!refused.is_empty() && plan.is_refused());
    for change in &refused {
        assert_eq!((change.action, change.hazard), (Action::Create, Some(Code::ArgumentHazard)));
        assert_eq!(change.step, None, "nobody can run it");
        assert!(change.name.contains(".g1."), "a dead-letter queue has no arguments of the file: {change:?}");
        let field = &change.fields[0];
        assert_eq!((field.field.as_str(), &field.to), ("x-queue-version", &Some(Value::Integer(1))));
        let text = "refused on RabbitMQ 4.3.6: it takes 2 only; the old format of the store is gone";
        assert_eq!(field.from, Some(Value::Other(text.to_owned())));
    }
    assert!(plan.approve().is_none());
}

#[test]
fn what_the_live_version_takes_is_made_with_the_argument() {
    for version in ["3.10.8", "4.0.5"] {
        let plan = plan(QueueKind::Classic, old_format(), Some(version));
        assert!(!plan.is_refused(), "{version}");
        let with = plan.changes.iter().filter(|c| c.fields.iter().any(|f| f.field == "x-queue-version"));
        assert!(with.count() > 0, "{version}");
    }
}

#[test]
fn what_breaks_a_promise_on_the_live_version_is_refused() {
    let short = || ("x-consumer-timeout", Value::Integer(60_000));
    assert!(plan(QueueKind::Quorum, short(), Some("4.0.5")).is_refused());
    assert!(!plan(QueueKind::Quorum, short(), Some("4.3.6")).is_refused(), "the consumer's own value wins");
    assert!(!plan(QueueKind::Quorum, short(), Some("3.10.8")).is_refused(), "it does nothing there");
}

#[test]
fn without_a_version_nothing_is_refused_and_that_is_said() {
    let plan = plan(QueueKind::Classic, old_format(), None);
    assert!(!plan.is_refused());
    assert_eq!(plan.unchecked, ["queues.arguments: the version of the broker can't be seen"]);
}

#[test]
fn the_version_of_the_file_is_believed_until_the_broker_is_seen() {
    let mut topology = orders(QueueKind::Classic);
    let (name, value) = old_format();
    topology.queues.arguments = [(name.to_owned(), value)].into();
    topology.broker.version = Some(BrokerVersion::new(4, 3, 0));
    assert!(diff(&topology, &nothing(), &[]).is_refused());
    let mut world = nothing();
    world.broker_version = Some("RabbitMQ 4.0.5".to_owned());
    let plan = diff(&topology, &world, &[]);
    assert!(!plan.is_refused());
    assert_eq!(plan.unchecked, ["the broker runs 4.0.5; broker.version names 4.3"]);
}
