//! Orphans that are deleted on demand, and those that stay.

use crate::{
    destroy::{applied, send},
    harness::rabbitmq::Vhost,
    harness::wait::wait_for,
    ways::put_queue,
};

const QUORUM: &str = r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#;

#[tokio::test]
async fn empty_orphans_go_and_those_with_messages_and_of_other_topologies_stay() {
    let vhost = Vhost::fresh("prune");
    let work = applied(&vhost, "").await;
    let others = ["invoices.ledger.g1.0", "orders.eu.ledger.g1.0"];
    let orphans = ["orders.ledger.g7.0", "orders.ledger.g7.1"];
    for queue in others.iter().chain(&orphans) {
        put_queue(&vhost, queue, QUORUM);
    }
    let body = r#"{"routing_key":"orders.g7.0of2","arguments":{}}"#;
    assert_eq!(vhost.management("POST", "bindings", "/e/orders/q/orders.ledger.g7.0", body).0, 201);
    send(&vhost, "orders.ledger.g7.1");
    let exists = |queue: &str| vhost.management("GET", "queues", &format!("/{queue}"), "").0 == 200;

    let unasked = work.topo(&["apply", "--yes"]).await.expect_code(3);
    assert!(unasked.stdout.contains("orders.ledger.g7.0") && exists("orders.ledger.g7.0"));
    // What the broker tells of messages lags behind by seconds.
    let shown = wait_for("counts", crate::destroy::LIMIT, async || {
        let plan = work.topo(&["plan", "--prune"]).await.expect_code(3);
        let counted = plan.stdout.contains("- queue    orders.ledger.g7.0")
            && plan.stdout.contains("orders.ledger.g7.1 is not pruned: it holds messages");
        counted.then_some(plan.stdout)
    })
    .await;
    assert!(shown.contains("- binding  orders -> orders.ledger.g7.0 (orders.g7.0of2)"), "{shown}");
    assert!(others.iter().all(|queue| !shown.contains(queue)), "{shown}");

    work.topo(&["apply", "--prune"]).await.expect_code(5);
    assert!(exists("orders.ledger.g7.0"), "nobody agreed");
    // Not all of it was its to mend.
    let done = work.topo(&["apply", "--prune", "--yes"]).await.expect_code(3);
    assert!(done.stdout.contains("done: 2 steps"), "{}", done.stdout);
    assert!(!exists("orders.ledger.g7.0"));
    assert!(exists("orders.ledger.g7.1") && others.iter().all(|queue| exists(queue)));
}
