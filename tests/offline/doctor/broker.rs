//! Alarms, flags, limits, clocks and what the URL asks for.

use topo::domain::{
    doctor::{
        Status::{self, Ok as Well, Problem, Unchecked, Warning},
        broker,
        facts::{BrokerFacts, Flag, Placement},
    },
    topology::QueueKind,
};

use super::{findings, well};
use crate::support::topology;

fn judge(facts: &BrokerFacts, kind: QueueKind) -> Vec<(&'static str, Status, u16)> {
    let checks = broker::checks(&topology("amqp://localhost", 3, kind), facts, 1_000_500);
    let found = findings(&checks);
    // The names are static; only the checks go away.
    found
        .iter()
        .map(|(name, status, code)| (NAMES.iter().find(|n| *n == name).copied().unwrap(), *status, *code))
        .collect()
}

const NAMES: &[&str] =
    &["broker.alarms", "broker.feature_flags", "broker.body_size", "broker.queue_limit", "broker.clock"];

#[test]
fn a_broker_that_is_well_has_no_findings() {
    assert_eq!(judge(&well(), QueueKind::Quorum), []);
}

#[test]
fn what_is_hidden_is_unchecked() {
    let hidden = || "needs more".to_owned();
    let facts = BrokerFacts {
        alarms: Err(hidden()),
        disabled_flags: Err(hidden()),
        max_queues: Err(hidden()),
        clock_seconds: None,
        ..well()
    };
    let names: Vec<_> =
        judge(&facts, QueueKind::Quorum).iter().map(|(name, status, _)| (*name, *status)).collect();
    let expected = ["broker.alarms", "broker.feature_flags", "broker.queue_limit", "broker.clock"];
    assert_eq!(names, expected.map(|name| (name, Unchecked)));
}

#[test]
fn flags_that_quorum_queues_need_are_a_problem_and_others_a_warning() {
    let flag = |name: &str, experimental| Flag { name: name.to_owned(), experimental };
    let cases = [
        (flag("stream_queue", false), QueueKind::Quorum, vec![Problem]),
        (flag("quorum_queue", false), QueueKind::Quorum, vec![Problem]),
        (flag("stream_queue", false), QueueKind::Classic, vec![Warning]),
        (flag("message_containers", false), QueueKind::Quorum, vec![Warning]),
        (flag("khepri_db", false), QueueKind::Quorum, vec![]),
        (flag("new_thing", true), QueueKind::Quorum, vec![]),
    ];
    for (flag, kind, expected) in cases {
        let name = flag.name.clone();
        let facts = BrokerFacts { disabled_flags: Ok(vec![flag]), ..well() };
        let found: Vec<_> = judge(&facts, kind).iter().map(|(_, status, _)| *status).collect();
        assert_eq!(found, expected, "{name} {kind:?}");
    }
}

#[test]
fn the_queues_that_are_missing_must_fit_into_the_limit() {
    // Three shards and a dead-letter queue.
    for (limit, count, ours, fits) in [
        (4, 0, 0, true),
        (3, 0, 0, false),
        (4, 1, 0, false),
        (4, 1, 1, true),
        (-1, 9, 0, true),
        (0, 0, 0, false),
    ] {
        let names = ["orders.ledger.dead"].into_iter().take(ours);
        let facts = BrokerFacts {
            max_queues: Ok(Some(limit)),
            queue_count: count,
            queues: names.map(|name| (name.to_owned(), Placement::default())).collect(),
            ..well()
        };
        let expected: &[_] = if fits { &[] } else { &[("broker.queue_limit", Problem, 241)] };
        assert_eq!(judge(&facts, QueueKind::Quorum), expected, "{limit} {count} {ours}");
    }
}

#[test]
fn clocks_may_differ_by_seconds_only() {
    for (off, status) in
        [(0, Well), (5_900, Well), (-5_900, Well), (6_000, Warning), (-30_999, Warning), (31_000, Problem)]
    {
        assert_eq!(broker::clock("c", 1_000_000 + off, 1_000_000).status, status, "{off}");
    }
    assert!(broker::clock("c", 0, 60_000).text.contains("60 s behind this machine"));
}

#[test]
fn extreme_heartbeats_are_named() {
    let status = |url: &str| broker::heartbeat(url).map(|check| check.status);
    assert_eq!(status("amqp://localhost/%2f"), None);
    assert_eq!(status("amqp://localhost/%2f?frame_max=0"), None);
    for (seconds, expected) in [(0, Warning), (4, Warning), (5, Well), (60, Well), (61, Warning)] {
        let url = format!("amqp://localhost/%2f?frame_max=0&heartbeat={seconds}");
        assert_eq!(status(&url), Some(expected), "{seconds}");
    }
}

#[test]
fn bodies_over_the_version_s_default_are_named() {
    let mut topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    topology.publish.max_body = 20 << 20;
    for (version, found) in [("RabbitMQ 3.10.8", false), ("RabbitMQ 4.0.5", true), ("RabbitMQ 4.3.6", true)] {
        let facts = BrokerFacts { version: Some(version.to_owned()), ..well() };
        let checks = broker::checks(&topology, &facts, 1_000_500);
        assert_eq!(findings(&checks).contains(&("broker.body_size", Warning, 303)), found, "{version}");
    }
}
