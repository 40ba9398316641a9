//! Reports as text and JSON: every field of the documented shapes, and texts that people can read.

use std::{collections::BTreeMap, time::Duration};

use serde_json::json;
use topo::{
    cli::view,
    domain::{
        code::Code,
        observed::Value,
        plan::{Action, Change, FieldChange, Kind, Plan},
        report::{ConsumeCounts, ConsumeReport, LineProblem, PublishReport},
        status::{Problem, ShardStatus, StatusReport},
    },
};

/// Without colours, as a pipe gets it.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn parsed(text: &str) -> serde_json::Value {
    assert!(text.ends_with('\n'));
    serde_json::from_str(text).unwrap()
}

fn change(action: Action, name: &str, fields: &[(&str, Option<&str>, Option<&str>)]) -> Change {
    let value = |text: &Option<&str>| text.map(|text| Value::Text(text.to_owned()));
    Change {
        action,
        kind: Kind::Queue,
        name: name.to_owned(),
        fields: fields
            .iter()
            .map(|(field, from, to)| FieldChange {
                field: (*field).to_owned(),
                from: value(from),
                to: value(to),
            })
            .collect(),
        hazard: (action == Action::Replace).then_some(Code::Immutable),
        step: None,
    }
}

fn plan() -> Plan {
    let arguments = [("x-queue-type", None, Some("quorum")), ("x-delivery-limit", None, Some("1000"))];
    Plan {
        changes: vec![
            change(Action::Create, "orders.ledger.g1.0", &arguments),
            change(Action::Create, "orders.ledger.g1.1", &arguments),
            change(
                Action::Replace,
                "orders.ledger.g1.2",
                &[("x-queue-type", Some("classic"), Some("quorum"))],
            ),
            change(Action::Foreign, "orders -> audit (#)", &[]),
        ],
        keep: 14,
        unchecked: vec!["seen through AMQP alone".to_owned()],
        ..Plan::default()
    }
}

#[test]
fn a_plan_names_every_change_and_adds_up() {
    insta::assert_snapshot!(plain(&view::plan::text("orders", &plan())));
    insta::assert_snapshot!(plain(&view::plan::text("orders", &Plan { keep: 18, ..Plan::default() })));
}

#[test]
fn a_plan_as_json_has_the_documented_fields() {
    let document = parsed(&view::plan::json(&plan(), None));
    assert_eq!(
        document["changes"][2],
        json!({
            "action": "replace", "kind": "queue", "name": "orders.ledger.g1.2",
            "fields": [{"field": "x-queue-type", "from": "classic", "to": "quorum"}],
            "hazard": "TOPO0202",
        })
    );
    assert_eq!(document["changes"][0]["fields"][0]["from"], json!(null));
    assert_eq!(
        document["summary"],
        json!({"create": 2, "update": 0, "replace": 1, "delete": 0, "foreign": 1, "keep": 14})
    );
}

fn publish_report() -> PublishReport {
    PublishReport {
        read: 1_234_567,
        confirmed: 1_234_560,
        invalid: 3,
        failed: 1,
        skipped: 3,
        retried: 9,
        per_shard: vec![617_280, 617_280],
        failed_keys: vec!["1001".to_owned()],
        problems: vec![LineProblem {
            source: "orders.jsonl".to_owned(),
            line: 17,
            text: "/orderId: the key is null".to_owned(),
        }],
        elapsed: Duration::from_millis(61_728),
        ..PublishReport::default()
    }
}

#[test]
fn a_publish_report_says_what_was_not_confirmed() {
    insta::assert_snapshot!(plain(&view::publish::text(&publish_report())));
    let document = parsed(&view::publish::json(&publish_report()));
    for field in [
        "read",
        "confirmed",
        "invalid",
        "failed",
        "skipped",
        "retried",
        "returned",
        "nacked",
        "reconnects",
        "per_shard",
        "failed_keys",
        "seconds",
    ] {
        assert!(!document[field].is_null(), "{field}");
    }
    assert_eq!(document["seconds"], json!(61.728));
}

#[test]
fn a_consume_report_adds_up_per_shard() {
    let counts = ConsumeCounts {
        received: 100,
        committed: 90,
        duplicates: 10,
        transactions: 5,
        ..ConsumeCounts::default()
    };
    let mut total = counts;
    total.add(&counts);
    let report = ConsumeReport {
        total,
        per_shard: BTreeMap::from([(3, counts), (10, counts)]),
        blocked: BTreeMap::from([(3, "message m1: amount is missing".to_owned())]),
        elapsed: Duration::from_secs(2),
    };
    insta::assert_snapshot!(plain(&view::consume::text(&report)));
    let document = parsed(&view::consume::json(&report));
    for field in [
        "received",
        "committed",
        "duplicates",
        "parked",
        "retried",
        "redelivered",
        "conflicts",
        "misrouted",
        "transactions",
        "reconnects",
        "seconds",
    ] {
        assert!(document[field].is_number(), "{field}");
    }
    assert_eq!(document["per_shard"]["3"]["committed"], 90);
    assert_eq!(document["received"], 200);
}

#[test]
fn a_status_shows_shards_and_problems() {
    let shard = |shard: u32, ready: u64| ShardStatus {
        consumer: "ledger".to_owned(),
        shard,
        queue: format!("orders.ledger.g1.{shard}"),
        exists: true,
        ready,
        unacked: (shard == 0).then_some(0),
        ..ShardStatus::default()
    };
    let owned = ShardStatus {
        consumers: 2,
        owner: Some("host-1:4711".to_owned()),
        epoch: 7,
        last_processed_at_ms: Some(1_772_366_400_123),
        ..shard(0, 12_345)
    };
    let missing = ShardStatus { exists: false, ..shard(2, 0) };
    let report = StatusReport {
        topology: "orders".to_owned(),
        generation: 1,
        shards: vec![owned, shard(1, 3), missing],
        problems: vec![Problem {
            code: Code::QueueMissing,
            text: "queue orders.ledger.g1.2 does not exist".to_owned(),
        }],
        unchecked: vec!["unacked can't be seen".to_owned()],
    };
    insta::assert_snapshot!(plain(&view::status::text(&report, 1_772_366_400_123 + 90_000)));
    let document = parsed(&view::status::json(&report));
    assert_eq!(document["healthy"], false);
    assert_eq!(
        document["shards"][0],
        json!({
            "consumer": "ledger", "shard": 0, "queue": "orders.ledger.g1.0", "exists": true, "ready": 12345,
            "unacked": 0, "consumers": 2, "owner": "host-1:4711", "epoch": 7, "paused": false,
            "parked_keys": 0, "parked_messages": 0, "oldest_age_seconds": null,
            "last_processed_at": "2026-03-01T12:00:00.123Z",
        })
    );
    assert_eq!(document["shards"][1]["unacked"], json!(null));
    assert_eq!(document["problems"][0]["code"], "TOPO0401");
}
