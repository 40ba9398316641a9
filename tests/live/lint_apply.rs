//! `queues.arguments` on the broker of this run: what it takes is there afterwards and is no difference;
//! what it refuses is said before anything is made.

use serde_json::Value;

use crate::harness::{rabbitmq::Vhost, topo::Workdir};

fn work(vhost: &Vhost<'_>, queues: &str) -> Workdir {
    let file = format!(
        "topology: orders\nshards: 2\nkey: /orderId\nqueues: {queues}\nconsumers: {{ledger: {{}}}}\n"
    );
    Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .file("topology.yaml", &file)
        .file("consumers/ledger/handler.sql", "SELECT 1;\n")
}

fn arguments(vhost: &Vhost<'_>, queue: &str) -> Value {
    let (status, answer) = vhost.management("GET", "queues", &format!("/{queue}"), "");
    assert_eq!(status, 200, "{answer}");
    serde_json::from_str::<Value>(&answer).unwrap()["arguments"].clone()
}

#[tokio::test]
async fn added_arguments_are_declared_and_are_no_difference_afterwards() {
    let vhost = Vhost::fresh("added");
    let queues = "{arguments: {x-quorum-initial-group-size: 1, x-consumer-disconnected-timeout: 5000}}";
    let work = work(&vhost, queues);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let found = arguments(&vhost, "orders.ledger.g1.1");
    assert_eq!(found["x-consumer-disconnected-timeout"], 5000);
    assert_eq!(found["x-quorum-initial-group-size"], 1);
    assert_eq!(found["x-single-active-consumer"], true);
    let dead = arguments(&vhost, "orders.ledger.dead");
    assert_eq!(dead["x-consumer-disconnected-timeout"], Value::Null, "for the shard queues only");
    work.topo(&["plan"]).await.expect_code(0);
}

#[tokio::test]
async fn an_argument_that_the_broker_refuses_is_said_before_anything_is_made() {
    let vhost = Vhost::fresh("refused-argument");
    let work = work(&vhost, "{type: classic, arguments: {x-queue-version: 1}}");
    let applied = work.topo(&["apply", "--yes"]).await;
    if vhost.broker().version() < (4, 3) {
        applied.expect_code(0);
        assert_eq!(arguments(&vhost, "orders.ledger.g1.0")["x-queue-version"], 1);
        work.topo(&["plan"]).await.expect_code(0);
        return;
    }
    let refused = applied.expect_code(5);
    assert!(refused.stderr.contains("TOPO0221"), "{}", refused.stderr);
    assert!(refused.stderr.contains("takes 2 only"), "{}", refused.stderr);
    assert_eq!(vhost.management("GET", "queues", "", "").1, "[]");
    work.topo(&["plan"]).await.expect_code(3);
}
