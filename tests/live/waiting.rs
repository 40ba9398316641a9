//! `topo wait` in a runbook: started before there is anything to wait for.

use std::time::Duration;

use crate::{
    harness::{
        ports,
        rabbitmq::{Broker, Vhost},
        topo::Workdir,
        wait::wait_for,
    },
    story::{LIMIT, json, lines},
};

fn project(amqp: &str, management: &str) -> Workdir {
    Workdir::new()
        .env("TOPO_BROKER_URL", amqp)
        .env("TOPO_MANAGEMENT_URL", management)
        .file("topology.yaml", "topology: orders\nshards: 2\nkey: /key\nmessage: {id: /id}\n")
        .file("consumers/ledger/handler.sql", "INSERT INTO effects VALUES (:message_id);\n")
        .file("consumers/ledger/schema.sql", "CREATE TABLE IF NOT EXISTS effects (id text);\n")
        .file("events.jsonl", &lines(4, 5))
}

#[tokio::test]
async fn waiting_ends_when_the_topology_is_applied_and_when_it_is_drained() {
    let vhost = Vhost::fresh("wait");
    let work = project(&vhost.amqp_url(), &vhost.management_url());
    let applied = work.spawn(&["wait", "--applied"]);
    wait_for("the first look", LIMIT, async || applied.stderr().contains("waiting: ").then_some(())).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    assert_eq!(applied.wait(LIMIT).await.expect_code(0).stdout, "orders is applied\n");

    work.topo(&["publish", "events.jsonl"]).await.expect_code(0);
    let drained = work.spawn(&["wait", "--drained", "-o", "json"]);
    wait_for("a look at full queues", LIMIT, async || drained.stderr().contains(" messages").then_some(()))
        .await;
    work.topo(&["consume", "--all", "--until-empty"]).await.expect_code(0);
    assert_eq!(json(&drained.wait(LIMIT).await.expect_code(0).stdout)["reached"], true);
}

#[tokio::test]
async fn what_does_not_come_in_time_is_a_no_that_names_what_is_missing() {
    let vhost = Vhost::fresh("wait-late");
    let work = project(&vhost.amqp_url(), &vhost.management_url());
    let late = work.topo(&["wait", "--applied", "--timeout", "2s", "-o", "json"]).await.expect_code(3);
    assert!(
        late.stderr.contains("TOPO0902") && late.stderr.contains("create exchange orders"),
        "{}",
        late.stderr
    );
    assert_eq!(json(&late.stdout)["reached"], false);
    work.topo(&["wait"]).await.expect_code(2);
    // A refused login does not get better by waiting.
    let refused = work.env("TOPO_BROKER_URL", &vhost.amqp_url().replace("guest:guest", "guest:wrong"));
    refused.topo(&["wait", "--applied", "--timeout", "60s"]).await.expect_code(1);
}

#[tokio::test]
async fn a_broker_that_is_away_is_waited_for_until_somebody_stops_it() {
    let nobody = ports::free();
    let amqp = format!("amqp://guest:guest@127.0.0.1:{nobody}/%2f");
    let work = project(&amqp, "http://127.0.0.1:9");
    let waiting = work.spawn(&["wait", "--applied"]);
    wait_for("a look", LIMIT, async || waiting.stderr().contains("waiting: ").then_some(())).await;
    waiting.signal("TERM");
    waiting.wait(LIMIT).await.expect_code(130);
}

#[tokio::test]
async fn a_broker_that_starts_late_is_found() {
    let mut broker = Broker::start();
    let amqp = format!("amqp://guest:guest@127.0.0.1:{}/%2f", broker.amqp_port());
    let work = project(&amqp, &broker.management_url());
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    broker.stop();
    let waiting = work.spawn(&["wait", "--applied", "--timeout", "10m"]);
    wait_for("a look", Duration::from_secs(60), async || {
        waiting.stderr().contains("waiting: ").then_some(())
    })
    .await;
    broker.start_again();
    waiting.wait(LIMIT).await.expect_code(0);
}
