//! What forbids taking a topology away, seen through the management API and through AMQP alone.

use futures_util::StreamExt as _;
use lapin::{
    options::{BasicAckOptions, BasicCancelOptions, BasicConsumeOptions},
    types::FieldTable,
};
use topo::{adapters::amqp::connection::Endpoint, domain::secret::Secret};

use crate::{
    destroy::{LIMIT, NOBODY, applied, bare, json, project, send},
    harness::{rabbitmq::Vhost, wait::wait_for},
    ways::snapshot,
};

#[tokio::test]
async fn messages_are_counted_and_go_only_when_the_name_is_given() {
    let vhost = Vhost::fresh("remain");
    let work = applied(&vhost, "").await;
    send(&vhost, "orders.ledger.g1.2");
    send(&vhost, "orders.ledger.g1.2");
    send(&vhost, "orders.ledger.dead");
    let before = snapshot(&vhost);
    for management in [&vhost.management_url(), NOBODY] {
        let work = project(&vhost, management, "");
        let refused = work.topo(&["destroy", "--yes"]).await.expect_code(5);
        assert!(refused.stderr.contains("error[TOPO0209]: 3 ready"), "{}", refused.stderr);
        assert!(
            refused.stdout.lines().any(|line| line.starts_with("orders.ledger.g1.2  ")),
            "{}",
            refused.stdout
        );
        let refused = json(&work.topo(&["destroy", "--yes", "-o", "json"]).await.expect_code(5));
        let queues = refused["queues"].as_array().unwrap();
        let ready = |name: &str| queues.iter().find(|queue| queue["queue"] == name).unwrap()["ready"].clone();
        assert_eq!((ready("orders.ledger.g1.2"), ready("orders.ledger.dead")), (2.into(), 1.into()));
    }
    for args in [
        &["destroy", "--discard-messages"][..],
        &["destroy", "--discard-messages", "--yes"],
        &["destroy", "--discard-messages", "--yes", "--confirm", "order"],
    ] {
        let refused = work.topo(args).await.expect_code(5);
        assert!(refused.stderr.contains("error[TOPO0203]"), "{args:?}: {}", refused.stderr);
    }
    work.topo(&["destroy", "--confirm", "orders"]).await.expect_code(2);
    assert_eq!(snapshot(&vhost), before);
    work.topo(&["destroy", "--discard-messages", "--confirm", "orders"]).await.expect_code(0);
    assert_eq!(snapshot(&vhost), bare("bare"));
}

#[tokio::test]
async fn a_running_consumer_forbids_it_and_an_ended_one_does_not() {
    let vhost = Vhost::fresh("attached");
    let work = applied(&vhost, "").await;
    let mut consumer = work.spawn(&["consume", "--all"]);
    let attached = || {
        vhost.broker().ctl(&["list_consumers", "-q", "-p", vhost.name(), "--no-table-headers", "queue_name"])
    };
    wait_for("four consumers", LIMIT, async || (attached().lines().count() == 4).then_some(())).await;
    for (management, flags) in [
        (vhost.management_url(), &["destroy", "--yes"][..]),
        (NOBODY.to_owned(), &["destroy", "--discard-messages", "--confirm", "orders"]),
    ] {
        let refused = project(&vhost, &management, "").topo(flags).await.expect_code(5);
        assert!(
            refused.stderr.contains("error[TOPO0210]: consumers are attached to 4 queues"),
            "{}",
            refused.stderr
        );
    }
    assert!(consumer.is_running(), "{}", consumer.stderr());
    consumer.signal("TERM");
    consumer.wait(LIMIT).await.expect_code(130);
    // Statistics may still show the consumer.
    work.topo(&["destroy", "--yes"]).await.expect_code(0);
    assert_eq!(snapshot(&vhost), bare("bare"));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a stranger's consumer does what ours never does")]
async fn unacknowledged_messages_without_a_consumer_are_seen_through_the_management_api() {
    let vhost = Vhost::fresh("unacked");
    let work = applied(&vhost, "").await;
    send(&vhost, "orders.ledger.g1.1");
    let url = Secret::new(vhost.amqp_url(), "test");
    let connection = Endpoint::new(&url, "test", None).unwrap().connect().await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let options = BasicConsumeOptions::default();
    let mut deliveries = channel
        .basic_consume("orders.ledger.g1.1".into(), "kept".into(), options, FieldTable::default())
        .await
        .unwrap();
    let kept = deliveries.next().await.unwrap().unwrap();
    channel.basic_cancel("kept".into(), BasicCancelOptions::default()).await.unwrap();
    let unacked = async || {
        let list = vhost.management("GET", "queues", "?columns=name,messages_unacknowledged,consumers", "").1;
        list.contains(r#""messages_unacknowledged":1"#).then_some(())
    };
    wait_for("statistics", LIMIT, unacked).await;
    let refused = work.topo(&["destroy", "--yes"]).await.expect_code(5);
    assert!(refused.stderr.contains("error[TOPO0209]: 0 ready and 1 unacknowledged"), "{}", refused.stderr);
    assert!(refused.stdout.contains("orders.ledger.g1.1"));
    kept.acker.ack(BasicAckOptions::default()).await.unwrap();
    channel.close(200, "OK".into()).await.unwrap();
    work.topo(&["destroy", "--yes"]).await.expect_code(0);
}

#[tokio::test]
async fn a_queue_that_others_feed_is_not_deleted_without_leave() {
    let vhost = Vhost::fresh("fed");
    let work = applied(&vhost, "").await;
    vhost.management("POST", "bindings", "/e/amq.topic/q/orders.ledger.g1.0", r##"{"routing_key":"#"}"##);
    let before = snapshot(&vhost);
    let refused = work.topo(&["destroy", "--yes"]).await.expect_code(5);
    assert!(
        refused.stderr.contains("error[TOPO0206]")
            && refused.stderr.contains("amq.topic -> orders.ledger.g1.0 (#)"),
        "{}",
        refused.stderr
    );
    assert_eq!(snapshot(&vhost), before);
    work.topo(&["destroy", "--discard-messages", "--confirm", "orders"]).await.expect_code(0);
    assert_eq!(snapshot(&vhost), bare("bare"));
}

#[tokio::test]
async fn on_a_terminal_the_name_has_to_be_typed() {
    let vhost = Vhost::fresh("typed");
    let work = applied(&vhost, "").await;
    send(&vhost, "orders.ledger.g1.2");
    let topo = env!("CARGO_BIN_EXE_topo");
    for (answer, code) in [("yes\n", 5), ("orders\n", 0)] {
        let command = format!("{topo} destroy --discard-messages --yes");
        let mut run = work.spawn_program("script", &["-qec", &command, "/dev/null"]);
        let asked =
            async || run.stdout().contains("Delete 5 queues with 1 messages? Type orders").then_some(());
        wait_for("the question", LIMIT, asked).await;
        run.write(answer).await;
        run.wait(LIMIT).await.expect_code(code);
    }
    assert_eq!(snapshot(&vhost), bare("bare"));
}
