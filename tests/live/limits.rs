//! Limits that are changed after the queues were made: a policy of ours carries the lower ones, and they hold.

use std::{fs, time::Duration};

use futures_util::StreamExt as _;
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties, Consumer,
    options::{
        BasicConsumeOptions, BasicPublishOptions, BasicRejectOptions, ConfirmSelectOptions,
        QueueDeclareOptions,
    },
    types::FieldTable,
};
use topo::domain::topology::QueueKind;

use crate::{
    harness::{
        rabbitmq::Vhost,
        topo::{Finished, Workdir},
        wait::wait_for,
    },
    ways::snapshot,
};

const LIMIT: Duration = Duration::from_secs(60);
const SHARD: &str = "orders.ledger.g1.0";

/// A project without a store, whose queues have these settings.
fn project(vhost: &Vhost<'_>, queues: &str) -> Workdir {
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url());
    settings(&work, queues);
    work
}

fn settings(work: &Workdir, queues: &str) {
    let text = format!(
        "topology: orders\nshards: {{count: 3, key: /key}}\nconsumers: {{ledger: {{}}}}\nqueues: {{{queues}}}\n"
    );
    fs::write(work.path().join("topology.yaml"), text).expect("a writable directory");
}

async fn channel(vhost: &Vhost<'_>) -> (Connection, Channel) {
    let connection = Connection::connect(&vhost.amqp_url(), ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
    (connection, channel)
}

/// Publishes one message into the first shard; gives whether the broker took it.
#[expect(clippy::disallowed_methods, reason = "a producer in somebody else's program")]
async fn taken(channel: &Channel) -> bool {
    let properties = BasicProperties::default().with_delivery_mode(2);
    let options = BasicPublishOptions::default();
    let confirm =
        channel.basic_publish("".into(), SHARD.into(), options, &[b'x'; 64], properties).await.unwrap();
    confirm.await.unwrap().is_ack()
}

async fn consume(channel: &Channel) -> Consumer {
    let (options, none) = (BasicConsumeOptions::default(), FieldTable::default());
    channel.basic_consume(SHARD.into(), "returns".into(), options, none).await.unwrap()
}

/// The broker applies a policy some time after it took it.
async fn refused_at_last(channel: &Channel) {
    wait_for("a refusal of what exceeds the limit", LIMIT, async || (!taken(channel).await).then_some(()))
        .await;
}

async fn said(work: &Workdir, args: &[&str], code: i32, text: &str) -> Finished {
    let finished = work.topo(args).await.expect_code(code);
    assert!(finished.stdout.contains(text) || finished.stderr.contains(text), "{text}\n{finished:?}");
    finished
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lower_limit_is_carried_by_a_policy_and_holds() {
    for (kind, key, limits) in [
        (QueueKind::Quorum, "max_length", [5, 1000]),
        (QueueKind::Classic, "max_length", [5, 1000]),
        (QueueKind::Quorum, "max_length_bytes", [320, 64_000]),
    ] {
        let vhost = Vhost::fresh("limits");
        let kind = kind.as_str();
        let work = project(&vhost, &format!("type: {kind}"));
        work.topo(&["apply", "--yes"]).await.expect_code(0);
        let made = snapshot(&vhost);
        let (connection, channel) = channel(&vhost).await;
        for _ in 0..5 {
            assert!(taken(&channel).await, "no limit yet");
        }
        let field = key.replace('_', "-");
        // Twice: newly added, and lower than what our policy says.
        for limit in limits.into_iter().rev() {
            settings(&work, &format!("type: {kind}, {key}: {limit}"));
            let should = format!("should be {limit}");
            let plan = said(&work, &["plan"], 3, &should).await;
            assert!(
                plan.stdout.contains("~ policy   topo.orders") && plan.stdout.contains(&field),
                "{plan:?}"
            );
            work.topo(&["apply", "--yes"]).await.expect_code(0);
            said(&work, &["plan"], 0, "no changes").await;
        }
        refused_at_last(&channel).await;
        assert_eq!(queues(&snapshot(&vhost)), queues(&made), "no queue was touched");

        // Above the argument it can't be carried; back to it the policy goes.
        settings(&work, &format!("type: {kind}"));
        said(&work, &["plan"], 3, "- policy   topo.orders").await;
        work.topo(&["apply", "--yes"]).await.expect_code(0);
        // A channel that was refused by a quorum queue of 3.10 is not told that the limit is gone.
        wait_for("no limit", LIMIT, async || {
            let fresh = connection.create_channel().await.unwrap();
            fresh.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
            let mut all = true;
            for _ in 0..3 {
                all = taken(&fresh).await && all;
            }
            fresh.close(200, "done".into()).await.unwrap();
            all.then_some(())
        })
        .await;
        assert_eq!(snapshot(&vhost), made);
        connection.close(200, "done".into()).await.unwrap();
    }
}

/// The queues' part of a snapshot.
fn queues(snapshot: &str) -> String {
    let lists = serde_json::Deserializer::from_str(snapshot).into_iter::<serde_json::Value>();
    lists.take(2).map(|list| list.expect("a list").to_string()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_that_no_policy_can_carry_needs_a_new_generation() {
    let vhost = Vhost::fresh("limits-refused");
    let work = project(&vhost, "max_length: 10");
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    settings(&work, "max_length: 11");
    said(&work, &["plan"], 3, "x-max-length is 10, should be 11").await;
    work.topo(&["apply", "--yes"]).await.expect_code(5);

    settings(&work, "max_length: 9");
    let theirs = r#"{"pattern":"^orders","apply-to":"queues","priority":0,"definition":{"max-length":500}}"#;
    assert_eq!(vhost.management("PUT", "policies", "/theirs", theirs).0, 201);
    let before = snapshot(&vhost);
    said(&work, &["plan"], 3, "policy in force is theirs, should be topo.orders").await;
    said(&work, &["apply", "--yes"], 5, "TOPO0215").await;
    assert_eq!(snapshot(&vhost), before);
    assert!(!vhost.management("GET", "policies", "", "").1.contains("topo.orders"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lower_delivery_limit_holds_where_the_version_can_carry_it() {
    let vhost = Vhost::fresh("limits-delivery");
    let work = project(&vhost, "delivery_limit: 1000");
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    settings(&work, "delivery_limit: 100");
    if vhost.broker().version() < (4, 1) {
        said(&work, &["plan"], 3, "x-delivery-limit is 1000, should be 100").await;
        work.topo(&["apply", "--yes"]).await.expect_code(5);
        return;
    }
    said(&work, &["plan"], 3, "delivery-limit is 1000, should be 100").await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    said(&work, &["plan"], 0, "no changes").await;
    let (connection, channel) = channel(&vhost).await;
    assert!(taken(&channel).await);
    // Returned more often than that, but far less often than the argument says, it is dead-lettered.
    let mut deliveries = consume(&channel).await;
    let returns = async {
        for _ in 0..500 {
            let delivery = deliveries.next().await.unwrap().unwrap();
            delivery.reject(BasicRejectOptions { requeue: true }).await.unwrap();
        }
    };
    let looker = connection.create_channel().await.unwrap();
    let dead = wait_for("a dead letter", LIMIT, async || {
        let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
        let queue = looker.queue_declare("orders.ledger.dead".into(), passive, FieldTable::default()).await;
        (queue.unwrap().message_count() == 1).then_some(())
    });
    tokio::select! {
        () = returns => panic!("the limit does not hold"),
        () = dead => {}
    }
    connection.close(200, "done".into()).await.unwrap();
}
