//! Status on a real broker, with the management API and through AMQP alone.

use std::{sync::Arc, time::Duration};

use topo::{
    adapters::{
        amqp::{connection::Endpoint, subscription::AmqpConsumeBroker},
        clock::SystemClock,
    },
    domain::{code::Code, secret::Secret, status::StatusReport, topology::QueueKind},
    flows::status::status,
    ports::subscription::ConsumeBroker,
};

use crate::{
    harness::{rabbitmq::Vhost, wait::wait_for},
    ways::{LOOKS, Look, Ways, orders},
};

const LIMIT: Duration = Duration::from_secs(30);

fn publish(vhost: &Vhost<'_>, queue: &str) {
    let body = format!(
        r#"{{"properties":{{"delivery_mode":2}},"routing_key":"{queue}","payload":"x","payload_encoding":"string"}}"#
    );
    let (status, answer) = vhost.management("POST", "exchanges", "/amq.default/publish", &body);
    assert!(status == 200 && answer.contains("true"), "{answer}");
}

fn codes(report: &StatusReport) -> Vec<(Code, &str)> {
    report.problems.iter().map(|problem| (problem.code, problem.text.as_str())).collect()
}

#[tokio::test]
async fn status_names_missing_queues_idle_messages_and_dead_letters() {
    let vhost = Vhost::fresh("status");
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
    for look in LOOKS {
        let report = status(&ways.world(&topology, look)).await.expect("a status");
        let expected = [
            (
                Code::QueueMissing,
                "3 of 3 queues of ledger (orders.ledger.g1.0, orders.ledger.g1.1, orders.ledger.g1.2) do not exist",
            ),
            (Code::QueueMissing, "dead-letter queue orders.ledger.dead does not exist"),
        ];
        assert_eq!(codes(&report), expected);
        assert!(!report.healthy() && report.shards.iter().all(|shard| !shard.exists));
    }
    ways.apply(&topology, Look::Management).await.expect("an apply");
    for look in LOOKS {
        let report = status(&ways.world(&topology, look)).await.expect("a status");
        assert!(report.healthy() && report.shards.len() == 3, "{report:?}");
    }
    publish(&vhost, "orders.ledger.g1.1");
    publish(&vhost, "orders.ledger.dead");
    let idle = (Code::NoConsumer, "1 messages wait without a consumer: queue orders.ledger.g1.1");
    let dead = (Code::DeadLettered, "1 messages in orders.ledger.dead");
    for look in LOOKS {
        let world = ways.world(&topology, look);
        let report = wait_for("both messages", LIMIT, async || {
            let report = status(&world).await.expect("a status");
            (report.problems.len() == 2).then_some(report)
        })
        .await;
        assert_eq!(codes(&report), [idle, dead]);
        assert_eq!(report.shards[1].ready, 1);
    }
}

#[tokio::test]
async fn unacked_messages_and_standbys_show_through_the_management_api() {
    let vhost = Vhost::fresh("unacked");
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    let url = vhost.amqp_url();
    let endpoint = Endpoint::new(&Secret::new(&url, &url), "topo test", None).expect("a URL");
    let consumers = AmqpConsumeBroker::new(endpoint, Arc::new(SystemClock));
    let mut active = consumers.subscribe("orders.ledger.g1.0", "active", 10).await.expect("subscribed");
    let standby = consumers.subscribe("orders.ledger.g1.0", "standby", 10).await.expect("subscribed");
    publish(&vhost, "orders.ledger.g1.0");
    assert!(active.next().await.is_some());

    let world = ways.world(&topology, Look::Management);
    wait_for("the statistics", LIMIT, async || {
        let shard = &status(&world).await.expect("a status").shards[0];
        (shard.ready == 0 && shard.unacked == Some(1) && shard.consumers == 2).then_some(())
    })
    .await;
    let report = status(&ways.world(&topology, Look::Amqp)).await.expect("a status");
    // AMQP counts the active consumer of a quorum queue and no unacked messages.
    assert_eq!((report.shards[0].consumers, report.shards[0].unacked), (1, None));
    assert!(report.healthy(), "{report:?}");
    active.close().await.expect("closed");
    standby.close().await.expect("closed");
    consumers.close().await;
}
