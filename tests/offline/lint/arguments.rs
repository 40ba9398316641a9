//! Queue arguments judged by queue type and version.

use std::{collections::BTreeMap, slice::from_ref};

use topo::domain::{
    desired::Desired,
    lint::{
        Queue, QueueType, Role, VERSIONS,
        arguments::{Finding, Weight, judge, judge_added},
        supported,
    },
    observed::Value,
    topology::QueueKind,
    version::BrokerVersion,
};

use crate::support::topology;

const V3_10: BrokerVersion = BrokerVersion::new(3, 10, 8);
const V4_0: BrokerVersion = BrokerVersion::new(4, 0, 5);
const V4_3: BrokerVersion = BrokerVersion::new(4, 3, 6);

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

/// Our own shard queue of `kind` with these changes; `None` takes an argument away.
fn changed(kind: QueueKind, changes: &[(&str, Option<Value>)], version: BrokerVersion) -> Vec<Finding> {
    let mut arguments = Desired::of(&topology("amqp://localhost", 1, kind)).queues[0].arguments.clone();
    for (name, value) in changes {
        match value {
            Some(value) => drop(arguments.insert((*name).to_owned(), value.clone())),
            None => drop(arguments.remove(*name)),
        }
    }
    judge(&Queue { role: Role::Shard, kind: kind.into(), arguments: &arguments }, &[version])
}

fn names(findings: &[Finding]) -> Vec<(&str, Weight)> {
    findings.iter().map(|f| (f.argument.as_str(), f.weight)).collect()
}

#[test]
fn what_topo_declares_itself_is_fine_on_every_version() {
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let desired = Desired::of(&topology("amqp://localhost", 2, kind));
        for (queues, role) in [(&desired.queues, Role::Shard), (&desired.dead_letters, Role::DeadLetter)] {
            let queue = Queue { role, kind: kind.into(), arguments: &queues[0].arguments };
            assert_eq!(judge(&queue, &VERSIONS), [], "{kind:?} {role:?}");
        }
    }
}

#[test]
fn a_shard_without_one_of_its_arguments_is_a_hazard() {
    for argument in [
        "x-single-active-consumer",
        "x-delivery-limit",
        "x-dead-letter-exchange",
        "x-dead-letter-routing-key",
        "x-dead-letter-strategy",
        "x-overflow",
    ] {
        for version in [V3_10, V4_0, V4_3] {
            let found = changed(QueueKind::Quorum, &[(argument, None)], version);
            assert_eq!(names(&found), [(argument, Weight::Hazard)], "{version}");
        }
    }
}

#[test]
fn a_delivery_limit_is_judged_by_number_and_version() {
    let said = |limit: Option<i64>, version| {
        let found = changed(QueueKind::Quorum, &[("x-delivery-limit", limit.map(Value::Integer))], version);
        found.into_iter().map(|f| (f.weight, f.text)).next()
    };
    let tail = |found: Option<(Weight, String)>| {
        found.is_some_and(|(weight, text)| weight == Weight::Hazard && text.ends_with("goes to the tail"))
    };
    assert!(tail(said(None, V3_10)));
    assert!(said(None, V4_0).unwrap().1.contains("default of 20"));
    assert!(tail(said(Some(-1), V4_0)) && tail(said(Some(-1), V4_3)));
    // 3.10 knows no "unlimited": every number is a limit.
    assert!(said(Some(-1), V3_10).unwrap().1.contains("returned for the first time"));
    for version in [V3_10, V4_0, V4_3] {
        assert!(said(Some(0), version).unwrap().1.contains("returned for the first time"), "{version}");
        assert_eq!(said(Some(20), version).unwrap().0, Weight::Advice, "{version}");
        assert_eq!(said(Some(1000), version), None, "{version}");
    }
}

#[test]
fn the_dead_letter_arguments_are_one_rule() {
    let found =
        |changes: &[_]| names(&changed(QueueKind::Quorum, changes, V4_0)).first().map(|f| f.0.to_owned());
    let strategy = |word: &str| ("x-dead-letter-strategy", Some(text(word)));
    assert_eq!(found(&[strategy("at-most-once")]).as_deref(), Some("x-dead-letter-strategy"));
    // Without a length limit too: at-least-once falls back in silence.
    assert_eq!(found(&[("x-overflow", Some(text("drop-head")))]).as_deref(), Some("x-overflow"));
    // An exchange of one's own routes by its bindings.
    let own = [("x-dead-letter-exchange", Some(text("dead"))), ("x-dead-letter-routing-key", None)];
    assert_eq!(found(&own), None);
    // Classic queues know no strategy; what they have is all there is.
    assert_eq!(changed(QueueKind::Classic, &[], V4_0), []);
}

#[test]
fn a_full_queue_must_not_delete() {
    let limit = ("x-max-length", Some(Value::Integer(10)));
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let none = changed(kind, &[limit.clone(), ("x-overflow", None)], V4_0);
        assert!(none.iter().any(|f| f.text.contains("drop-head deletes the oldest")), "{kind:?} {none:?}");
        assert_eq!(changed(kind, from_ref(&limit), V4_0), [], "{kind:?}");
    }
    let copies = changed(QueueKind::Classic, &[("x-overflow", Some(text("reject-publish-dlx")))], V4_0);
    assert_eq!(names(&copies), [("x-overflow", Weight::Hazard)]);
}

#[test]
fn harmful_arguments_of_a_live_queue_are_named() {
    let quorum = [("x-message-ttl", Value::Integer(1000)), ("x-expires", Value::Integer(1000))];
    for (argument, value) in quorum {
        let found = changed(QueueKind::Quorum, &[(argument, Some(value))], V4_0);
        assert_eq!(names(&found), [(argument, Weight::Hazard)]);
    }
    let priority = ("x-max-priority", Some(Value::Integer(5)));
    assert_eq!(
        names(&changed(QueueKind::Classic, from_ref(&priority), V4_0)),
        [("x-max-priority", Weight::Hazard)]
    );
    assert_eq!(names(&changed(QueueKind::Quorum, &[priority], V4_0)), [("x-max-priority", Weight::Refused)]);
    let delayed = ("x-delayed-retry-type", Some(text("all")));
    assert_eq!(changed(QueueKind::Quorum, from_ref(&delayed), V4_3)[0].weight, Weight::Hazard);
    assert_eq!(changed(QueueKind::Quorum, from_ref(&delayed), V4_0)[0].weight, Weight::NoEffect);
    assert_eq!(changed(QueueKind::Classic, &[delayed], V4_3)[0].weight, Weight::Refused);
    let disabled = ("x-delayed-retry-type", Some(text("disabled")));
    assert_eq!(changed(QueueKind::Quorum, &[disabled], V4_3), []);
}

#[test]
fn a_stream_holds_no_shard() {
    let arguments = BTreeMap::from([("x-queue-type".to_owned(), text("stream"))]);
    let queue = Queue { role: Role::Shard, kind: QueueType::Stream, arguments: &arguments };
    let found = judge(&queue, &VERSIONS);
    assert_eq!(names(&found), [("x-queue-type", Weight::Hazard)]);
    assert_eq!(found[0].versions, VERSIONS);
}

#[test]
fn findings_name_the_versions_that_they_hold_for() {
    let arguments = BTreeMap::new();
    let classic = Queue { role: Role::Shard, kind: QueueType::Classic, arguments: &arguments };
    let found = judge_added(&classic, "x-queue-version", &Value::Integer(1), &VERSIONS);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].version_list(), "4.3");
    let found = judge_added(&classic, "x-consumer-timeout", &Value::Integer(7_200_000), &VERSIONS);
    let said: Vec<_> = found.iter().map(|f| (f.weight, f.version_list())).collect();
    assert_eq!(said, [(Weight::NoEffect, "3.10".to_owned()), (Weight::Refused, "4.3".to_owned())]);
    let found = judge_added(&classic, "x-consumer-timeout", &Value::Integer(60_000), &VERSIONS);
    assert!(found.iter().any(|f| f.weight == Weight::Hazard && f.version_list() == "4.0, 4.1 and 4.2"));
}

#[test]
fn what_topo_sets_itself_can_not_be_added() {
    let arguments = BTreeMap::new();
    let quorum = Queue { role: Role::Shard, kind: QueueType::Quorum, arguments: &arguments };
    let classic = Queue { kind: QueueType::Classic, ..quorum };
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let mut topology = topology("amqp://localhost", 1, kind);
        topology.queues.max_length = Some(10);
        topology.queues.max_length_bytes = Some(10);
        for (name, value) in &Desired::of(&topology).queues[0].arguments {
            let queue = if kind == QueueKind::Quorum { &quorum } else { &classic };
            let found = judge_added(queue, name, value, &VERSIONS);
            assert!(found.iter().any(|f| f.text.contains("set by topo itself")), "{kind:?} {name}");
        }
    }
    let locator = text("balanced");
    let on_classic = judge_added(&classic, "x-queue-leader-locator", &locator, &[V4_0]);
    assert_eq!(on_classic, [], "topo leaves it to the file");
}

#[test]
fn versions_are_read_as_people_write_them() {
    assert_eq!(supported("4.3"), Some(BrokerVersion::new(4, 3, 0)));
    assert_eq!(supported("3.10.8"), Some(V3_10));
    assert_eq!(supported("5.0"), Some(BrokerVersion::new(5, 0, 0)));
    for bad in ["3.9", "4", "latest", "RabbitMQ 4.3", ""] {
        assert_eq!(supported(bad), None, "{bad}");
    }
}
