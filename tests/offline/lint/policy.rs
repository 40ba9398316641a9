//! Policies on the objects of a topology: which keys break a promise, joined with our own arguments.

use std::collections::BTreeMap;

use topo::domain::{
    code::Code,
    desired::Desired,
    lint::{
        Queue, QueueType, Role,
        policy::{Target, hazards, is_applicable},
    },
    observed::Value,
    policy::{ApplyTo, Author, Policy},
    topology::QueueKind,
    version::BrokerVersion,
};

use crate::support::topology;

const V3_10: BrokerVersion = BrokerVersion::new(3, 10, 8);
const V4_0: BrokerVersion = BrokerVersion::new(4, 0, 5);
const V4_3: BrokerVersion = BrokerVersion::new(4, 3, 6);

/// Reads `key: value, …`.
fn policy(author: Author, definition: &str) -> Policy {
    let definition = definition
        .split(", ")
        .map(|pair| {
            let (key, value) = pair.split_once(": ").unwrap();
            let value = value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Integer);
            (key.to_owned(), value)
        })
        .collect();
    Policy {
        name: "p".to_owned(),
        author,
        pattern: ".*".to_owned(),
        apply_to: ApplyTo::All,
        priority: 0,
        definition,
    }
}

/// The codes found on our own queue of `kind`, with `key code` for each.
fn on(kind: QueueKind, role: Role, policies: &[Policy], version: BrokerVersion) -> Vec<(String, Code)> {
    let mut topology = topology("amqp://localhost", 1, kind);
    topology.queues.max_length = Some(1000);
    let desired = Desired::of(&topology);
    let queue = if role == Role::Shard { &desired.queues[0] } else { &desired.dead_letters[0] };
    let queue = Queue { role, kind: kind.into(), arguments: &queue.arguments };
    let in_force: Vec<_> = policies.iter().collect();
    hazards(&in_force, Target::Queue(queue), Some(version)).into_iter().map(|h| (h.key, h.code)).collect()
}

fn shard(kind: QueueKind, definition: &str, version: BrokerVersion) -> Vec<Code> {
    let found = on(kind, Role::Shard, &[policy(Author::User, definition)], version);
    found.into_iter().map(|(_, code)| code).collect()
}

#[test]
fn each_key_that_breaks_a_promise_of_a_shard_has_its_code() {
    let table = [
        ("message-ttl: 60000", Code::PolicyExpires),
        ("expires: 60000", Code::PolicyExpires),
        ("max-length: 10", Code::PolicyLimits),
        ("max-length-bytes: 10", Code::PolicyLimits),
        ("federation-upstream-set: all", Code::PolicyReorders),
    ];
    for (definition, code) in table {
        for kind in [QueueKind::Quorum, QueueKind::Classic] {
            for version in [V3_10, V4_0, V4_3] {
                assert_eq!(shard(kind, definition, version), [code], "{kind:?} {version} {definition}");
            }
        }
    }
    assert_eq!(shard(QueueKind::Quorum, "delivery-limit: 20", V4_0), [Code::PolicyLimits]);
    assert_eq!(
        shard(QueueKind::Quorum, "delayed-retry-type: all, delayed-retry-min: 5", V4_3),
        [Code::PolicyDelays]
    );
    assert_eq!(shard(QueueKind::Quorum, "consumer-timeout: 60000", V4_0), [Code::PolicyLimits]);
    assert_eq!(shard(QueueKind::Classic, "ha-mode: all", V3_10), [Code::PolicyDrops]);
}

#[test]
fn a_key_that_changes_nothing_is_no_hazard() {
    for definition in [
        "max-length: 1000",
        "max-length: 2000",
        "overflow: reject-publish",
        "dead-letter-exchange: elsewhere, dead-letter-routing-key: other",
        "queue-leader-locator: balanced",
        "target-group-size: 3",
        "alternate-exchange: other",
    ] {
        for version in [V3_10, V4_0, V4_3] {
            for kind in [QueueKind::Quorum, QueueKind::Classic] {
                let found = shard(kind, definition, version);
                // A classic queue has no dead-letter strategy of its own, nor needs one here.
                assert_eq!(found, [], "{kind:?} {version} {definition}");
            }
        }
    }
    for definition in ["delivery-limit: 1000", "delivery-limit: 5000", "delivery-limit: -1"] {
        assert_eq!(shard(QueueKind::Quorum, definition, V4_3), [], "{definition}");
    }
    assert_eq!(shard(QueueKind::Quorum, "delayed-retry-type: disabled", V4_3), []);
    assert_eq!(shard(QueueKind::Quorum, "consumer-timeout: 3600000", V4_0), []);
    assert_eq!(shard(QueueKind::Quorum, "consumer-timeout: 60000", V4_3), [], "the consumer's own wins");
    let synced = "ha-mode: all, ha-promote-on-failure: when-synced";
    assert_eq!(shard(QueueKind::Classic, synced, V3_10), []);
    assert_eq!(shard(QueueKind::Classic, "ha-mode: all", V4_0), [], "mirrors are gone");
}

#[test]
fn overflow_of_a_policy_beats_the_argument_on_quorum_queues_only() {
    for word in ["drop-head", "reject-publish-dlx"] {
        let definition = format!("overflow: {word}");
        assert_eq!(shard(QueueKind::Quorum, &definition, V4_0), [Code::PolicyDrops], "{word}");
        assert_eq!(shard(QueueKind::Classic, &definition, V4_0), [], "{word}");
    }
    assert_eq!(
        shard(QueueKind::Quorum, "max-length: 10, overflow: drop-head", V4_0),
        [Code::PolicyDrops, Code::PolicyDrops]
    );
    let users = policy(Author::User, "overflow: drop-head");
    let operators = policy(Author::Operator, "max-length: 10, overflow: reject-publish");
    let found = on(QueueKind::Quorum, Role::Shard, &[users, operators], V4_0);
    assert_eq!(found, [("max-length".to_owned(), Code::PolicyLimits)], "the operator's overflow applies");
}

#[test]
fn drop_head_without_a_limit_costs_at_least_once_dead_lettering() {
    let desired = Desired::of(&topology("amqp://localhost", 1, QueueKind::Quorum));
    let queue = Queue { role: Role::Shard, kind: QueueType::Quorum, arguments: &desired.queues[0].arguments };
    let policy = policy(Author::User, "overflow: drop-head");
    let found = hazards(&[&policy], Target::Queue(queue), None);
    assert_eq!(found.iter().map(|h| h.code).collect::<Vec<_>>(), [Code::PolicyDeadLetters]);
}

#[test]
fn a_queue_without_our_arguments_is_changed_by_any_policy() {
    let arguments = BTreeMap::new();
    let queue = Queue { role: Role::Shard, kind: QueueType::Quorum, arguments: &arguments };
    let policy = policy(Author::User, "dead-letter-exchange: x, delivery-limit: -1, max-length: 5");
    let found = hazards(&[&policy], Target::Queue(queue), None);
    let codes: Vec<_> = found.iter().map(|h| h.code).collect();
    assert_eq!(codes, [Code::PolicyDeadLetters, Code::PolicyReorders, Code::PolicyDrops]);
}

#[test]
fn nothing_may_delete_from_a_dead_letter_queue() {
    let table = [
        ("delivery-limit: 20", Some(Code::PolicyDrops)),
        ("message-ttl: 1000", Some(Code::PolicyExpires)),
        ("max-length: 10", Some(Code::PolicyLimits)),
        ("max-length: 10, overflow: drop-head", Some(Code::PolicyDrops)),
        ("overflow: drop-head", None),
        ("dead-letter-exchange: elsewhere", None),
    ];
    for (definition, code) in table {
        let found = on(QueueKind::Quorum, Role::DeadLetter, &[policy(Author::User, definition)], V4_0);
        assert_eq!(found.first().map(|(_, code)| *code), code, "{definition}");
    }
}

#[test]
fn only_an_alternate_exchange_matters_to_the_exchange() {
    let policy = policy(Author::User, "alternate-exchange: other, max-length: 1, message-ttl: 1");
    let found = hazards(&[&policy], Target::Exchange, None);
    assert_eq!(found.iter().map(|h| h.code).collect::<Vec<_>>(), [Code::AlternateExchange]);
}

#[test]
fn one_foreign_key_keeps_a_whole_policy_away() {
    let table = [
        ("max-length: 1, ha-mode: all", QueueType::Quorum, V3_10, false),
        ("max-length: 1, ha-mode: all", QueueType::Classic, V3_10, true),
        ("max-length: 1, delivery-limit: 5", QueueType::Classic, V4_0, false),
        ("max-length: 1, queue-leader-locator: balanced", QueueType::Classic, V3_10, false),
        ("max-length: 1, queue-leader-locator: balanced", QueueType::Classic, V4_0, true),
        ("max-length: 1, queue-mode: lazy", QueueType::Quorum, V4_3, false),
        ("max-length: 1", QueueType::Stream, V4_3, false),
        ("max-age: 1h", QueueType::Stream, V4_3, true),
    ];
    for (definition, kind, version, expected) in table {
        let policy = policy(Author::User, definition);
        let found = is_applicable(&policy.definition, kind, Some(version));
        assert_eq!(found, expected, "{kind} {version} {definition}");
    }
}
