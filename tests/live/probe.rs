//! Probes through fresh bindings: seen by nobody, and left nowhere.

use serde_json::{Value, json};
use topo::{domain::hash::HashKind, ports::topology::TopologyBroker as _};

use crate::{
    harness::{
        rabbitmq::Vhost,
        topo::{Finished, Workdir},
    },
    story::{json as document, lines},
    ways::Ways,
};

const HANDLER: &str = "INSERT INTO effects VALUES (:message_id);\n";
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS effects (id text);\n";

/// Four shards and two consumers, whose programs are topo's.
fn project(vhost: &Vhost<'_>) -> Workdir {
    let mut work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .file("topology.yaml", "topology: orders\nshards: 4\nkey: /key\nconsumers: {ledger: {}, mail: {}}\n");
    for consumer in ["ledger", "mail"] {
        work = work
            .file(&format!("consumers/{consumer}/handler.sql"), HANDLER)
            .file(&format!("consumers/{consumer}/schema.sql"), SCHEMA);
    }
    work
}

fn probe(applied: &Finished) -> Value {
    document(&applied.stdout)["probe"].clone()
}

/// Messages in the shard queues. Asked through AMQP: the statistics of quorum queues lag by seconds.
async fn messages(vhost: &Vhost<'_>) -> u64 {
    let shards = (0..4).flat_map(|shard| ["ledger", "mail"].map(|c| format!("orders.{c}.g1.{shard}")));
    let ways = Ways::to(vhost);
    let stats = ways.amqp.stats(&shards.collect::<Vec<_>>()).await.expect("counts");
    ways.amqp.close().await;
    stats.into_iter().map(|stats| stats.expect("a queue").ready).sum()
}

#[tokio::test]
async fn every_fresh_shard_is_proven_and_nothing_stays_in_a_queue() {
    let vhost = Vhost::fresh("probe");
    let work = project(&vhost);
    let first = work.topo(&["apply", "--yes", "-o", "json"]).await.expect_code(0);
    assert_eq!(probe(&first), json!({"proven": [0, 1, 2, 3], "not_probed": []}));
    assert_eq!(messages(&vhost).await, 0);
    // Nothing new is bound, so nothing is probed, unless somebody asks for it.
    let second = work.topo(&["apply", "-o", "json"]).await.expect_code(0);
    assert_eq!(probe(&second), json!({"proven": [], "not_probed": []}));
    let asked = work.topo(&["apply", "--probe"]).await.expect_code(0);
    assert!(asked.stdout.contains("a probe came through every queue of 4 shards"), "{}", asked.stdout);
    // One shard is bound again: that one is proven.
    let binding = "/e/orders/q/orders.mail.g1.2/orders.g1.2of4";
    assert_eq!(vhost.management("DELETE", "bindings", binding, "").0, 204);
    let mended = work.topo(&["apply", "--yes", "-o", "json"]).await.expect_code(0);
    assert_eq!(probe(&mended), json!({"proven": [2], "not_probed": []}));
    assert_eq!(messages(&vhost).await, 0);
}

#[tokio::test]
async fn a_queue_in_use_and_a_strangers_queue_get_no_probe() {
    let vhost = Vhost::fresh("probe-used");
    let work = project(&vhost);
    work.topo(&["apply", "--yes", "--no-probe"]).await.expect_code(0);
    let key = r#"{"key":"a","id":"1"}"#;
    let publish = |queue: &str, headers: &str, body: &str| {
        let message = json!({
            "routing_key": queue, "payload": body, "payload_encoding": "string",
            "properties": {"delivery_mode": 2, "message_id": "m", "headers": serde_json::from_str::<Value>(headers).expect("headers")},
        });
        let (status, answer) =
            vhost.management("POST", "exchanges", "/amq.default/publish", &message.to_string());
        assert!(status == 200 && answer.contains("true"), "{answer}");
    };
    publish("orders.ledger.g1.1", "{}", key);
    let asked = work.topo(&["apply", "--probe", "-o", "json"]).await.expect_code(0);
    let not_probed = json!([{"reason": "a queue holds messages", "shards": [1]}]);
    assert_eq!(probe(&asked), json!({"proven": [0, 2, 3], "not_probed": not_probed}));
    assert_eq!(messages(&vhost).await, 1);

    // `mail` becomes a program of somebody else.
    std::fs::remove_dir_all(work.path().join("consumers/mail")).expect("the folder");
    let strange = work.topo(&["apply", "--yes", "--probe", "-o", "json"]).await.expect_code(0);
    assert_eq!(probe(&strange)["proven"], json!([]));
    assert_eq!(probe(&strange)["not_probed"][0]["shards"], json!([0, 1, 2, 3]));
    assert_eq!(messages(&vhost).await, 1);
}

#[tokio::test]
async fn a_consumer_that_meets_a_probe_skips_it_and_nothing_else() {
    let vhost = Vhost::fresh("probe-met");
    let work = project(&vhost).file("events.jsonl", &lines(1, 3));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let queue = format!("orders.ledger.g1.{}", HashKind::Xxh64.hash("order-0").shard(4));
    let send = |body: &str| {
        let message = json!({
            "routing_key": queue, "payload": body, "payload_encoding": "string",
            "properties": {"delivery_mode": 2, "message_id": "p", "headers": {"topo-probe": "p"}},
        });
        vhost.management("POST", "exchanges", "/amq.default/publish", &message.to_string())
    };
    assert_eq!(send("").0, 200);
    work.topo(&["publish", "events.jsonl"]).await.expect_code(0);
    assert_eq!(send("").0, 200);
    let args = ["consume", "ledger", "--all", "--until-empty", "-o", "json"];
    let consumed = document(&work.topo(&args).await.expect_code(0).stdout);
    assert_eq!((&consumed["received"], &consumed["committed"]), (&json!(3), &json!(3)), "{consumed}");
    // The probes were acknowledged.
    let again = document(&work.topo(&args).await.expect_code(0).stdout);
    assert_eq!((&again["received"], &again["redelivered"]), (&json!(0), &json!(0)), "{again}");
    assert_eq!(messages(&vhost).await, 3, "those of the other consumer");

    // With a body it may be somebody's message: it is not skipped.
    assert_eq!(send(r#"{"key":"order-0","id":"x"}"#).0, 200);
    let consumed = document(&work.topo(&args).await.expect_code(0).stdout);
    assert_eq!(consumed["received"], json!(1), "{consumed}");
}
