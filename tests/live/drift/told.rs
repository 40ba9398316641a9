//! Drift through the command line: exit codes, text and JSON.

use serde_json::Value as Json;

use super::{bind, made, set_policy};
use crate::{
    harness::{rabbitmq::Vhost, topo::Workdir},
    ways::{put_queue, snapshot},
};

async fn applied(vhost: &Vhost<'_>) -> Workdir {
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url());
    work.topo(&["init"]).await.expect_code(0);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work.topo(&["plan"]).await.expect_code(0);
    work
}

/// `action kind hazard` of each change.
async fn planned(work: &Workdir, code: i32) -> Vec<String> {
    let plan = work.topo(&["plan", "-o", "json"]).await.expect_code(code);
    let plan: Json = serde_json::from_str(&plan.stdout).expect("one JSON document");
    let word = |change: &Json, field: &str| change[field].as_str().unwrap_or("-").to_owned();
    let row = |change: &Json| ["action", "kind", "hazard"].map(|field| word(change, field)).join(" ");
    plan["changes"].as_array().expect("changes").iter().map(row).collect()
}

#[tokio::test]
async fn what_is_ours_is_mended_and_what_is_not_ends_with_exit_code_3() {
    let vhost = Vhost::fresh("told");
    let work = applied(&vhost).await;
    let whole = snapshot(&vhost);
    made(&vhost, "DELETE", "queues", "/orders.ledger.g1.0", "");
    assert_eq!(planned(&work, 3).await, ["create queue -", "create binding -"]);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    assert!(planned(&work, 0).await.is_empty());
    assert_eq!(snapshot(&vhost), whole);

    set_policy(&vhost, "operator-policies", "ttl-all", "^orders", "queues", r#""message-ttl":60000"#);
    put_queue(&vhost, "tap", r#"{"durable":true}"#);
    bind(&vhost, "orders", "q", "tap", "orders.g1.0of8", "");
    made(&vhost, "DELETE", "queues", "/orders.ledger.dead", "");
    let drift = ["create queue -", "foreign binding TOPO0220", "foreign policy TOPO0213"];
    assert_eq!(planned(&work, 3).await, drift);
    let applied = work.topo(&["apply", "--yes"]).await.expect_code(3);
    for named in ["operator policy ttl-all on 9 queues", "orders -> tap"] {
        assert!(applied.stdout.contains(named), "{named}: {}", applied.stdout);
    }
    assert_eq!(planned(&work, 3).await, drift[1..]);
    // Nothing to do for it, and still not as it should be: also without a question.
    work.topo(&["apply"]).await.expect_code(3);
    made(&vhost, "DELETE", "operator-policies", "/ttl-all", "");
    made(&vhost, "DELETE", "queues", "/tap", "");
    work.topo(&["plan"]).await.expect_code(0);
    work.topo(&["apply"]).await.expect_code(0);
    assert_eq!(snapshot(&vhost), whole);
}

#[tokio::test]
async fn what_does_not_touch_the_topology_is_not_mentioned() {
    let vhost = Vhost::fresh("quiet");
    let work = applied(&vhost).await;
    put_queue(&vhost, "invoices", r#"{"durable":true}"#);
    put_queue(&vhost, "orders.eu.ledger.g1.0", r#"{"durable":true}"#);
    bind(&vhost, "amq.topic", "q", "invoices", "a.b", "");
    set_policy(&vhost, "policies", "others", "^invoices", "all", r#""message-ttl":1000"#);
    set_policy(&vhost, "operator-policies", "harmless", "", "queues", r#""delivery-limit":1000000000"#);
    let plan = work.topo(&["plan"]).await.expect_code(0);
    for name in ["invoices", "orders.eu", "others"] {
        assert!(!plan.stdout.contains(name), "{name}: {}", plan.stdout);
    }
}
