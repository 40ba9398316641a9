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

/// An export of the broker as `rabbitmqctl` and as the management API write it.
fn exports(vhost: &Vhost<'_>) -> [String; 2] {
    let (status, one) = vhost.management("GET", "definitions", "", "");
    assert_eq!(status, 200, "{one}");
    [vhost.broker().ctl(&["export_definitions", "-", "--silent"]), one]
}

#[tokio::test]
async fn an_export_is_judged_like_the_broker_it_came_from() {
    let vhost = Vhost::fresh("export");
    let work = work(&vhost, "{}");
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    for (number, export) in exports(&vhost).iter().enumerate() {
        let name = format!("good-{number}.json");
        std::fs::write(work.path().join(&name), export).unwrap();
        let good = work.topo(&["check", "--definitions", &name]).await.expect_code(0);
        assert!(!good.stdout.contains("TOPO0"), "{}", good.stdout);
    }
    let body = r#"{"pattern":"^orders","apply-to":"queues","definition":{"message-ttl":1000}}"#;
    for kind in ["policies", "operator-policies"] {
        let (status, answer) = vhost.management("PUT", kind, "/short", body);
        assert_eq!(status, 201, "{answer}");
    }
    for (number, export) in exports(&vhost).iter().enumerate() {
        let name = format!("bad-{number}.json");
        std::fs::write(work.path().join(&name), export).unwrap();
        let bad = work.topo(&["check", "--definitions", &name]).await.expect_code(3);
        for policy in ["TOPO0213 policy short", "TOPO0213 operator policy short"] {
            assert!(bad.stdout.contains(policy), "{}", bad.stdout);
        }
    }
}
