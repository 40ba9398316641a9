//! Topologies that no topology.yaml describes: every reason at once, and nothing written.

use serde_json::{Value, json};

use crate::{
    harness::rabbitmq::Vhost,
    import::{bind, dead, declare, place, put_exchange, shard},
};

/// The reasons, one line each.
async fn reasons(vhost: &Vhost<'_>, exchange: &str) -> Vec<String> {
    let work = place(vhost);
    let out = work
        .topo(&["import", "--exchange", exchange, "--out", "new.yaml", "-o", "json"])
        .await
        .expect_code(3);
    assert!(out.stderr.contains("error[TOPO0222]"), "{out:?}");
    assert!(!work.path().join("new.yaml").exists());
    let document: Value = serde_json::from_str(&out.stdout).expect("JSON");
    assert_eq!(document["topology"], Value::Null);
    let text = |reason: &Value, field: &str| reason[field].as_str().expect("a text").to_owned();
    let line = |reason: &Value| {
        let [object, field, found, needed] =
            ["object", "field", "found", "needed"].map(|name| text(reason, name));
        format!("{object} | {field} | {found} | {needed}")
    };
    document["reasons"].as_array().expect("a list").iter().map(line).collect()
}

#[track_caller]
fn tells(reasons: &[String], expected: &[&str]) {
    for wanted in expected {
        assert!(reasons.iter().any(|reason| reason.contains(wanted)), "{wanted:?} is missing: {reasons:#?}");
    }
}

#[tokio::test]
async fn names_without_generation_and_count() {
    let vhost = Vhost::fresh("plain-names");
    put_exchange(&vhost, "order", r#"{"type":"direct","durable":true}"#);
    declare(&vhost, "order.queue.dead", &dead("quorum"));
    for number in 0..8 {
        let queue = format!("order.queue.{number}");
        declare(&vhost, &queue, &shard("quorum", "order.queue.dead"));
        bind(&vhost, "order", &queue, &format!("order.{number}"));
    }
    let reasons = reasons(&vhost, "order").await;
    tells(
        &reasons,
        &[
            "routing keys | form | order.{shard} | the number of shards (8) and a generation",
            "queues | form | order.queue.{shard} | the generation",
        ],
    );
    assert_eq!(reasons.len(), 2, "{reasons:#?}");
}

#[tokio::test]
async fn a_gap_and_arguments_that_differ_from_queue_to_queue() {
    let vhost = Vhost::fresh("differ");
    put_exchange(&vhost, "e", r#"{"type":"direct","durable":true}"#);
    declare(&vhost, "e.c.dead", &dead("quorum"));
    for number in [0, 1, 3, 4] {
        let queue = format!("e.c.g1.{number}");
        let mut arguments = shard("quorum", "e.c.dead");
        if number == 3 {
            arguments["x-delivery-limit"] = 7.into();
            arguments["x-max-length"] = 10.into();
        }
        declare(&vhost, &queue, &arguments);
        bind(&vhost, "e", &queue, &format!("e.g1.{number}of5"));
    }
    let reasons = reasons(&vhost, "e").await;
    tells(
        &reasons,
        &[
            "routing keys e.g1.{shard}of5 | shard numbers | 0 to 4 without 2 | every number",
            "queues e.c.g1.{shard} | shard numbers | 0 to 4 without 2 | every number",
            "queue e.c.g1.3 | x-delivery-limit | 7 | 5000",
            "queue e.c.g1.3 | x-max-length | 10 | none",
        ],
    );
    assert_eq!(reasons.len(), 4, "{reasons:#?}");
}

#[tokio::test]
async fn everything_wrong_is_told_at_once() {
    let vhost = Vhost::fresh("all-wrong");
    put_exchange(&vhost, "legacy", r#"{"type":"fanout","durable":false}"#);
    put_exchange(&vhost, "other", r#"{"type":"topic","durable":true}"#);
    for number in 1..=4 {
        let queue = format!("legacy.work.{number:02}");
        declare(&vhost, &queue, &json!({ "x-message-ttl": 60_000, "x-max-priority": 5 }));
        bind(&vhost, "legacy", &queue, &format!("work.{number:02}"));
        bind(&vhost, "legacy", &queue, &format!("urgent.{number:02}"));
        bind(&vhost, "other", &queue, "#");
    }
    let reasons = reasons(&vhost, "legacy").await;
    tells(
        &reasons,
        &[
            "exchange legacy | type | \"fanout\" | \"direct\"",
            "exchange legacy | durable | false | true",
            "x-message-ttl | 60000 | none",
            "x-max-priority | 5 | none",
            "4 queues (legacy.work.01 first) | x-single-active-consumer | none | true",
            "4 queues (legacy.work.01 first) | x-dead-letter-exchange | none | \"\"",
            "4 queues (legacy.work.01 first) | x-overflow | none | \"reject-publish\"",
            "| bindings | ",
            "binding other -> legacy.work.01 (#) | source | other | bindings from legacy alone",
            "shard numbers | 01, filled up with zeros",
            "shard numbers | 1 to 4 | numbers from 0, so 0 to 3",
        ],
    );
}

#[tokio::test]
async fn plan_is_what_runs_what_a_plan_would_still_say_is_a_reason() {
    let vhost = Vhost::fresh("leftovers");
    let file = "topology: orders\nshards: 2\nkey: /id\nconsumers: {ledger: {}}\n";
    let maker = place(&vhost).file("topology.yaml", file);
    maker.topo(&["apply", "--yes"]).await.expect_code(0);
    let policy = r#"{"pattern":"^orders","apply-to":"queues","definition":{"message-ttl":1000}}"#;
    let (status, answer) = vhost.management("PUT", "policies", "/short", policy);
    assert!(status == 201 || status == 204, "{answer}");
    // Queues of the generation before, empty and bound to nothing.
    declare(&vhost, "orders.ledger.g7.0", &shard("quorum", "orders.ledger.dead"));
    let reasons = reasons(&vhost, "orders").await;
    tells(&reasons, &["policy short", "TOPO0213", "queue orders.ledger.g7.0", "TOPO0218"]);

    assert_eq!(vhost.management("DELETE", "policies", "/short", "").0, 204);
    assert_eq!(vhost.management("DELETE", "queues", "/orders.ledger.g7.0", "").0, 204);
    let import = ["import", "--exchange", "orders", "--out", "new.yaml"];
    maker.topo(&import).await.expect_code(0);
    assert!(maker.path().join("new.yaml").exists());
}

#[tokio::test]
async fn as_text_the_reasons_are_the_error_and_standard_output_stays_empty() {
    let vhost = Vhost::fresh("text");
    put_exchange(&vhost, "empty", r#"{"type":"direct","durable":true}"#);
    let out = place(&vhost).topo(&["import", "--exchange", "empty"]).await.expect_code(3);
    assert_eq!(out.stdout, "");
    let line = "exchange empty: bindings: found none to a queue, needed one queue per shard";
    assert!(out.stderr.contains(line), "{out:?}");
    let reserved = place(&vhost).topo(&["import", "--exchange", "amq.direct"]).await.expect_code(3);
    assert!(reserved.stderr.contains("error[TOPO0222]"), "{reserved:?}");
}
