//! Taking over what stands on a broker: topologies made in different ways, read backwards and planned with.

use serde_json::{Value, json};

use crate::{
    destroy::NOBODY,
    harness::{
        rabbitmq::{Vhost, encode},
        topo::{Finished, Workdir},
    },
    ways::{put_queue, snapshot},
};

/// An empty directory with the addresses of the vhost.
pub(crate) fn place(vhost: &Vhost<'_>) -> Workdir {
    Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
}

pub(crate) fn put_exchange(vhost: &Vhost<'_>, name: &str, body: &str) {
    let (status, answer) = vhost.management("PUT", "exchanges", &format!("/{}", encode(name)), body);
    assert_eq!(status, 201, "{answer}");
}

pub(crate) fn bind(vhost: &Vhost<'_>, exchange: &str, queue: &str, key: &str) {
    let path = format!("/e/{}/q/{}", encode(exchange), encode(queue));
    let body = json!({ "routing_key": key }).to_string();
    let (status, answer) = vhost.management("POST", "bindings", &path, &body);
    assert_eq!(status, 201, "{answer}");
}

pub(crate) fn declare(vhost: &Vhost<'_>, queue: &str, arguments: &Value) {
    put_queue(vhost, queue, &json!({ "durable": true, "arguments": arguments }).to_string());
}

/// What somebody has to declare so that a shard keeps its promises.
pub(crate) fn shard(kind: &str, dead_letter: &str) -> Value {
    let mut arguments = json!({
        "x-queue-type": kind,
        "x-single-active-consumer": true,
        "x-overflow": "reject-publish",
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": dead_letter,
    });
    if kind == "quorum" {
        arguments["x-delivery-limit"] = 5000.into();
        arguments["x-dead-letter-strategy"] = "at-least-once".into();
    }
    arguments
}

pub(crate) fn dead(kind: &str) -> Value {
    let mut arguments = json!({ "x-queue-type": kind, "x-overflow": "reject-publish" });
    if kind == "quorum" {
        arguments["x-delivery-limit"] = 1_000_000_000.into();
    }
    arguments
}

/// Imports into a file; the plan of that file is empty and nothing on the broker has changed.
async fn taken_over(vhost: &Vhost<'_>, exchange: &str) -> String {
    let before = snapshot(vhost);
    let work = place(vhost);
    let printed = work.topo(&["import", "--exchange", exchange]).await.expect_code(0);
    work.topo(&["import", "--exchange", exchange, "--out", "topology.yaml"]).await.expect_code(0);
    let text = std::fs::read_to_string(work.path().join("topology.yaml")).expect("the file");
    assert_eq!(printed.stdout, text);
    work.topo(&["check"]).await.expect_code(0);
    let plan = work.topo(&["plan"]).await;
    assert_eq!(plan.status.code(), Some(0), "{}\n{}\n{text}", plan.stdout, plan.stderr);
    assert_eq!(snapshot(vhost), before);
    assert!(!work.path().join("topo.db").exists(), "an imported file needs no store");
    text
}

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found.trim() == *line), "{line:?} is missing:\n{text}");
    }
}

#[tokio::test]
async fn what_topo_made_comes_back_as_it_was() {
    let vhost = Vhost::fresh("ïmport /%2f \"'");
    let file = "topology: orders\nshards: {count: 12, generation: 3, key: /orderId, hash: java_string}\n\
                queues: {max_length: 1000, max_length_bytes: 1MiB, delivery_limit: 2000}\nconsumers: {ledger: {}, mail: {}}\n";
    let maker = place(&vhost).file("topology.yaml", file);
    maker.topo(&["apply", "--yes"]).await.expect_code(0);
    let text = taken_over(&vhost, "orders").await;
    let expected = [
        "topology: orders",
        "count: 12",
        "generation: 3",
        "routing_key: \"{topology}.g{generation}.{shard}of{count}\"",
        "name: \"{topology}.{consumer}.g{generation}.{shard}\"",
        "dead_letter: \"{topology}.{consumer}.dead\"",
        "type: quorum",
        "delivery_limit: 2000",
        "max_length: 1000",
        "max_length_bytes: 1MiB",
        "ledger: {}",
        "mail: {}",
    ];
    has(&text, &expected);
}

#[tokio::test]
async fn an_imported_consumer_is_somebody_elses_program() {
    let vhost = Vhost::fresh("strangers");
    let file = "topology: orders\nshards: 2\nkey: /id\nconsumers: {ledger: {}}\n";
    place(&vhost).file("topology.yaml", file).topo(&["apply", "--yes"]).await.expect_code(0);
    let work = place(&vhost);
    work.topo(&["import", "--exchange", "orders", "--out", "topology.yaml"]).await.expect_code(0);
    let again = work.topo(&["apply", "--yes"]).await.expect_code(0);
    assert!(again.stdout.contains("no changes"), "{again:?}");
    work.topo(&["status", "--check"]).await.expect_code(0);
    work.topo(&["publish"]).await.expect_code(0);
    let checked = work.topo(&["check"]).await.expect_code(0);
    assert!(checked.stdout.contains("somebody else's program"), "{checked:?}");
    let refused = work.topo(&["consume", "--all"]).await.expect_code(2);
    assert!(refused.stderr.contains("error[TOPO0104]"), "{refused:?}");
    assert!(!work.path().join("topo.db").exists());
    // With files of its own it is ours, and needs its store.
    let work = work.file("consumers/ledger/handler.sql", "SELECT :message_id;\n");
    let ours = work.topo(&["plan"]).await.expect_code(3);
    assert!(ours.stdout.contains("sqlite:topo.db"), "{ours:?}");
}

#[tokio::test]
async fn names_made_by_hand_become_templates() {
    let vhost = Vhost::fresh("by-hand");
    put_exchange(&vhost, "order", r#"{"type":"topic","durable":true}"#);
    declare(&vhost, "order.queue.failed", &dead("quorum"));
    for number in 0..8 {
        let queue = format!("order.queue.v1.{number}");
        let mut arguments = shard("quorum", "order.queue.failed");
        arguments["x-quorum-initial-group-size"] = 3.into();
        declare(&vhost, &queue, &arguments);
        bind(&vhost, "order", &queue, &format!("order.v1.{number}.8"));
    }
    let text = taken_over(&vhost, "order").await;
    let expected = [
        "exchange: {name: order, type: topic}",
        "count: 8",
        "routing_key: \"{topology}.v{generation}.{shard}.{count}\"",
        "name: \"{topology}.{consumer}.v{generation}.{shard}\"",
        "dead_letter: \"{topology}.{consumer}.failed\"",
        "delivery_limit: 5000",
        "x-quorum-initial-group-size: 3",
        "queue: {}",
    ];
    has(&text, &expected);
}

#[tokio::test]
async fn several_consumers_on_classic_queues() {
    let vhost = Vhost::fresh("several");
    put_exchange(&vhost, "shop-events", r#"{"type":"direct","durable":true}"#);
    for consumer in ["billing", "mail", "mail-archive"] {
        let target = format!("{consumer}/errors");
        declare(&vhost, &target, &dead("classic"));
        for number in 0..11 {
            let queue = format!("shop-events {consumer}/r2/{number}");
            declare(&vhost, &queue, &shard("classic", &target));
            bind(&vhost, "shop-events", &queue, &format!("r2:{number}/11"));
        }
    }
    let text = taken_over(&vhost, "shop-events").await;
    let expected = [
        "type: classic",
        "generation: 2",
        "routing_key: \"r{generation}:{shard}/{count}\"",
        "name: \"{topology} {consumer}/r{generation}/{shard}\"",
        "dead_letter: \"{consumer}/errors\"",
        "billing: {}",
        "mail: {}",
        "mail-archive: {}",
    ];
    has(&text, &expected);
}

#[tokio::test]
async fn names_with_signs_of_yaml_templates_and_references_survive() {
    let vhost = Vhost::fresh("signs");
    let exchange = "$a{b} 'é\" #%2f: *";
    put_exchange(&vhost, exchange, r#"{"type":"direct","durable":true}"#);
    let consumer = "${mail}: {x} é";
    for (name, number) in [("ledger {y}", 0), ("ledger {y}", 1), (consumer, 0), (consumer, 1)] {
        let target = format!("{name}.dead");
        if number == 0 {
            declare(&vhost, &target, &dead("quorum"));
        }
        let queue = format!("{exchange}.{name}.g1.{number}");
        declare(&vhost, &queue, &shard("quorum", &target));
        bind(&vhost, exchange, &queue, &format!("$$x/g1.{number}of2"));
    }
    let text = taken_over(&vhost, exchange).await;
    has(
        &text,
        &[
            "\"${mail}: {x} é\": {}",
            "\"ledger {y}\": {}",
            "name: \"{topology}.{consumer}.g{generation}.{shard}\"",
        ],
    );
    // One alone is recognized by the name of its dead-letter queue.
    for number in 0..2 {
        let path = format!("/{}", encode(&format!("{exchange}.ledger {{y}}.g1.{number}")));
        assert_eq!(vhost.management("DELETE", "queues", &path, "").0, 204);
    }
    assert_eq!(vhost.management("DELETE", "queues", &format!("/{}", encode("ledger {y}.dead")), "").0, 204);
    has(&taken_over(&vhost, exchange).await, &["\"${mail}: {x} é\": {}"]);
}

#[tokio::test]
async fn key_and_hash_are_asked_for_and_nothing_is_overwritten() {
    let vhost = Vhost::fresh("key");
    let maker = place(&vhost)
        .file("topology.yaml", "topology: orders\nshards: 2\nkey: /id\nconsumers: {ledger: {}}\n");
    maker.topo(&["apply", "--yes"]).await.expect_code(0);
    let work = place(&vhost);
    let import = async |more: &[&str]| {
        let arguments: Vec<_> = ["import", "--exchange", "orders"].iter().chain(more).copied().collect();
        work.topo(&arguments).await
    };
    let unsaid = import(&[]).await.expect_code(0);
    assert!(unsaid.stderr.contains("shards.key (/key) and shards.hash (xxh64)"), "{unsaid:?}");
    let said = import(&["--key", "header:tenant", "--hash", "java_string"]).await.expect_code(0);
    has(&said.stdout, &["key: \"header:tenant\"", "hash: java_string"]);
    assert!(said.stderr.is_empty(), "{said:?}");
    assert!(!said.stdout.contains("guest"), "no login stands in the file");
    let document: Value =
        serde_json::from_str(&import(&["-o", "json"]).await.expect_code(0).stdout).expect("JSON");
    assert_eq!((&document["shards"], &document["consumers"][0]), (&2.into(), &"ledger".into()));
    assert_eq!(document["reasons"], json!([]));

    let there =
        maker.topo(&["import", "--exchange", "orders", "--out", "topology.yaml"]).await.expect_code(5);
    assert!(there.stderr.contains("error[TOPO0107]"), "{there:?}");
    let missing = work.topo(&["import", "--exchange", "nobody"]).await.expect_code(1);
    assert!(missing.stderr.contains("error[TOPO0302]"), "{missing:?}");
    let blind: Finished = place(&vhost)
        .env("TOPO_MANAGEMENT_URL", NOBODY)
        .topo(&["import", "--exchange", "orders"])
        .await
        .expect_code(4);
    assert!(blind.stderr.contains("AMQP alone lists nothing"), "{blind:?}");
}
