//! One difference at a time.

use topo::domain::{
    desired::Desired,
    diff::diff,
    observed::{Difference, Observed, Value, Verdict},
    plan::{Action, Kind, Plan, Step},
    topology::{QueueKind, Topology},
};

use super::world::{carry_out, nothing, through_amqp};
use crate::support::{consumer, name, topology};

pub(super) fn orders(kind: QueueKind) -> Topology {
    topology("amqp://127.0.0.1", 2, kind)
}

/// The world after everything was applied.
pub(crate) fn whole(topology: &Topology) -> Observed {
    let mut world = nothing();
    for change in diff(topology, &world, &[]).changes {
        carry_out(&mut world, &change.step.unwrap());
    }
    world
}

/// `action kind name: field from -> to; … [hazard]`
pub(super) fn lines(plan: &Plan) -> Vec<String> {
    let value = |value: &Option<Value>| match value {
        None => "none".to_owned(),
        Some(value) => format!("{value:?}"),
    };
    let line = |change: &topo::domain::plan::Change| {
        let fields: Vec<_> = change
            .fields
            .iter()
            .map(|field| format!("{} {} -> {}", field.field, value(&field.from), value(&field.to)))
            .collect();
        // What is created on the broker has its fields from the step.
        let made = change.action == Action::Create && change.kind != Kind::Store;
        let fields =
            if fields.is_empty() || made { String::new() } else { format!(": {}", fields.join("; ")) };
        let hazard = change.hazard.map_or(String::new(), |code| format!(" [{code}]"));
        format!("{} {} {}{fields}{hazard}", change.action.as_str(), change.kind.as_str(), change.name)
    };
    plan.changes.iter().map(line).collect()
}

#[test]
fn an_empty_broker_gets_everything_with_bindings_last() {
    let mut topology = orders(QueueKind::Quorum);
    topology.consumers.insert(name("audit"), consumer("audit"));
    let plan = diff(&topology, &nothing(), &[]);
    let expected = [
        "create queue orders.audit.dead",
        "create queue orders.ledger.dead",
        "create exchange orders",
        "create queue orders.audit.g1.0",
        "create queue orders.audit.g1.1",
        "create queue orders.ledger.g1.0",
        "create queue orders.ledger.g1.1",
        "create binding orders -> orders.audit.g1.0 (orders.g1.0of2)",
        "create binding orders -> orders.audit.g1.1 (orders.g1.1of2)",
        "create binding orders -> orders.ledger.g1.0 (orders.g1.0of2)",
        "create binding orders -> orders.ledger.g1.1 (orders.g1.1of2)",
    ];
    assert_eq!(lines(&plan), expected);
    assert!(!plan.is_empty() && plan.approve().is_some());
}

#[test]
fn every_shard_queue_carries_the_arguments_that_keep_order_and_lose_nothing() {
    let text = |value: &str| Value::Text(value.to_owned());
    let common = [
        ("x-dead-letter-exchange", text("")),
        ("x-dead-letter-routing-key", text("orders.ledger.dead")),
        ("x-max-length", Value::Integer(10)),
        ("x-max-length-bytes", Value::Integer(1 << 30)),
        ("x-overflow", text("reject-publish")),
        ("x-single-active-consumer", Value::Bool(true)),
    ];
    let quorum = [
        ("x-dead-letter-strategy", text("at-least-once")),
        ("x-delivery-limit", Value::Integer(1000)),
        ("x-queue-leader-locator", text("balanced")),
    ];
    for (kind, own) in [(QueueKind::Quorum, &quorum[..]), (QueueKind::Classic, &[])] {
        let mut topology = orders(kind);
        topology.queues.max_length = Some(10);
        topology.queues.max_length_bytes = Some(1 << 30);
        let desired = Desired::of(&topology);
        let mut expected: Vec<_> = common.iter().chain(own).cloned().collect();
        expected.push(("x-queue-type", text(kind.as_str())));
        expected.sort_by_key(|(name, _)| *name);
        for queue in &desired.queues {
            let arguments: Vec<_> = queue.arguments.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
            assert_eq!(arguments, expected);
        }
        let dead: Vec<_> =
            desired.dead_letters[0].arguments.iter().map(|(n, v)| (n.as_str(), v.clone())).collect();
        let mut expected =
            vec![("x-overflow", text("reject-publish")), ("x-queue-type", text(kind.as_str()))];
        if kind == QueueKind::Quorum {
            expected.insert(0, ("x-delivery-limit", Value::Integer(1_000_000_000)));
            expected.insert(2, ("x-queue-leader-locator", text("balanced")));
        }
        assert_eq!(dead, expected);
    }
}

#[test]
fn what_is_as_it_should_be_is_kept() {
    let topology = orders(QueueKind::Quorum);
    let plan = diff(&topology, &whole(&topology), &[]);
    assert_eq!((lines(&plan), plan.keep, plan.is_empty()), (vec![], 6, true));
}

#[test]
fn an_immutable_difference_is_refused_with_typed_values() {
    let topology = orders(QueueKind::Quorum);
    type Case = (&'static str, fn(&mut Observed), &'static str);
    let cases: [Case; 7] = [
        (
            "a number that is a text",
            |world| set(world, "x-delivery-limit", Some(Value::Text("1000".to_owned()))),
            "replace queue orders.ledger.g1.1: x-delivery-limit Text(\"1000\") -> Integer(1000) [TOPO0202]",
        ),
        (
            "an argument too few",
            |world| set(world, "x-overflow", None),
            "replace queue orders.ledger.g1.1: x-overflow none -> Text(\"reject-publish\") [TOPO0202]",
        ),
        (
            "an argument too many",
            |world| set(world, "x-expires", Some(Value::Integer(5000))),
            "replace queue orders.ledger.g1.1: x-expires Integer(5000) -> none [TOPO0202]",
        ),
        (
            "a queue that does not survive a restart",
            |world| details(world).durable = false,
            "replace queue orders.ledger.g1.1: durable Bool(false) -> Bool(true) [TOPO0202]",
        ),
        (
            "another type",
            |world| details(world).kind = "stream".to_owned(),
            "replace queue orders.ledger.g1.1: x-queue-type Text(\"stream\") -> Text(\"quorum\") [TOPO0202]",
        ),
        (
            "an exchange of another type",
            |world| exchange(world).kind = "topic".to_owned(),
            "replace exchange orders: type Text(\"topic\") -> Text(\"direct\") [TOPO0202]",
        ),
        (
            "an exchange that hides missing routes",
            |world| {
                let lost = Value::Text("lost".to_owned());
                exchange(world).arguments.insert("alternate-exchange".to_owned(), lost);
            },
            "replace exchange orders: alternate-exchange Text(\"lost\") -> none [TOPO0202]",
        ),
    ];
    for (what, change, expected) in cases {
        let mut world = whole(&topology);
        change(&mut world);
        let plan = diff(&topology, &world, &[]);
        assert_eq!((lines(&plan), plan.keep), (vec![expected.to_owned()], 5), "{what}");
        assert!(plan.is_refused() && plan.approve().is_none(), "{what}");
    }
}

fn details(world: &mut Observed) -> &mut topo::domain::observed::QueueDetails {
    world.queues.get_mut("orders.ledger.g1.1").unwrap().details.as_mut().unwrap()
}

fn exchange(world: &mut Observed) -> &mut topo::domain::observed::ExchangeDetails {
    world.exchange.as_mut().unwrap().details.as_mut().unwrap()
}

fn set(world: &mut Observed, argument: &str, value: Option<Value>) {
    let arguments = &mut details(world).arguments;
    match value {
        Some(value) => arguments.insert(argument.to_owned(), value),
        None => arguments.remove(argument),
    };
}

#[test]
fn a_queue_type_that_came_from_a_default_fits() {
    let topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    set(&mut world, "x-queue-type", None);
    assert!(diff(&topology, &world, &[]).is_empty());
}

#[test]
fn an_argument_that_does_nothing_is_no_difference() {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let number = |number| Some(Value::Integer(number));
    // Kind, argument, live value, and what differs.
    let cases = [
        (QueueKind::Quorum, "x-queue-leader-locator", None, None),
        (QueueKind::Quorum, "x-queue-leader-locator", text("client-local"), None),
        (QueueKind::Quorum, "x-quorum-initial-group-size", number(3), None),
        (QueueKind::Quorum, "x-foo", number(1), None),
        (QueueKind::Classic, "x-queue-mode", text("lazy"), None),
        (QueueKind::Classic, "x-max-priority", number(5), Some("x-max-priority Integer(5) -> none")),
        (QueueKind::Quorum, "x-message-ttl", number(5), Some("x-message-ttl Integer(5) -> none")),
        (QueueKind::Quorum, "x-consumer-timeout", number(5), Some("x-consumer-timeout Integer(5) -> none")),
        (
            QueueKind::Quorum,
            "x-overflow",
            text("drop-head"),
            Some("x-overflow Text(\"drop-head\") -> Text(\"reject-publish\")"),
        ),
    ];
    for (kind, argument, live, expected) in cases {
        let topology = orders(kind);
        let mut world = whole(&topology);
        world.broker_version = Some("RabbitMQ 4.0.5".to_owned());
        set(&mut world, argument, live.clone());
        let expected: Vec<_> = expected
            .map(|fields| format!("replace queue orders.ledger.g1.1: {fields} [TOPO0202]"))
            .into_iter()
            .collect();
        assert_eq!(lines(&diff(&topology, &world, &[])), expected, "{argument} {live:?}");
        // The broker's answer through AMQP names the same difference.
        let asked = Desired::of(&topology).queues[1].arguments.get(argument).cloned();
        let verdict = Verdict::Differs(Difference { field: argument.to_owned(), live, asked });
        let mut world = through_amqp(world);
        world.queues.get_mut("orders.ledger.g1.1").unwrap().verdict = Some(verdict);
        let plan = diff(&topology, &world, &[]);
        assert_eq!(lines(&plan), expected, "{argument}");
        assert_eq!(expected.is_empty(), plan.unchecked.iter().any(|said| said.contains("does nothing")));
    }
}

#[test]
fn what_amqp_alone_cannot_see_is_said_and_made_again() {
    let topology = orders(QueueKind::Quorum);
    let mut world = through_amqp(whole(&topology));
    let plan = diff(&topology, &world, &[]);
    assert!(plan.changes.is_empty() && plan.ensure.iter().all(|step| matches!(step, Step::Binding { .. })));
    assert_eq!((plan.ensure.len(), plan.keep), (2, 4));
    assert!(plan.unchecked[0].contains("2 bindings can't be seen"), "{:?}", plan.unchecked);
    // Neither details nor a verdict: the user may not ask.
    world.queues.get_mut("orders.ledger.g1.0").unwrap().verdict = None;
    let plan = diff(&topology, &world, &[]);
    assert_eq!(plan.keep, 4);
    assert_eq!(plan.unchecked[0], "queue orders.ledger.g1.0 exists; its arguments can't be seen");
}
