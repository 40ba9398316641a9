//! Processes that sleep and brokers that refuse to read, seen through the binary.

use crate::{
    harness::{
        postgres::Database,
        rabbitmq::{Broker, Vhost},
        wait::wait_for,
    },
    story::{LIMIT, json, judge, lines, project, stop},
};

/// Waits until at least `wanted` effects are committed.
async fn effects_reach(database: &Database, wanted: i64) {
    let client = database.client().await;
    wait_for("effects", LIMIT, async || {
        let row = client.query_one("SELECT count(*) FROM effects", &[]).await.ok()?;
        (row.get::<_, i64>(0) >= wanted).then_some(())
    })
    .await;
}

/// Waits until each of the four shards was owned at least `epoch` times.
async fn every_shard_has_epoch(database: &Database, epoch: i64) {
    let client = database.client().await;
    wait_for(&format!("epoch {epoch} of every shard"), LIMIT, async || {
        let taken = "SELECT count(*) FROM topo.shard_owners WHERE epoch >= $1";
        let row = client.query_one(taken, &[&epoch]).await.ok()?;
        (row.get::<_, i64>(0) == 4).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_owner_a_process_that_slept_does_no_harm_when_it_wakes() {
    const KEYS: u32 = 500;
    const EVENTS: u32 = 60;
    let vhost = Vhost::fresh("story-zombie");
    let database = Database::fresh("story_zombie").await;
    // A short heartbeat, so that the broker soon takes the sleeper for dead.
    let amqp = format!("{}?heartbeat=2", vhost.amqp_url());
    let all = lines(KEYS, EVENTS);
    // The last third is published while the owner sleeps: whatever the machine's speed, every shard then has
    // messages that only the standby can take, and a shard is owned from its first message on.
    let (before, asleep) = all.split_at(all.match_indices('\n').nth(20_000 - 1).unwrap().0 + 1);
    let work = project((&amqp, &vhost.management_url()), &database, 4, "quorum")
        .file("before.jsonl", before)
        .file("asleep.jsonl", asleep);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let sleeper = work.spawn(&["consume", "--all", "-o", "json"]);
    let publisher = work.spawn(&["publish", "before.jsonl"]);
    effects_reach(&database, 2000).await;
    every_shard_has_epoch(&database, 1).await;
    let standby = work.spawn(&["consume", "--all", "-o", "json"]);
    sleeper.signal("STOP");
    publisher.wait(LIMIT).await.expect_code(0);
    work.topo(&["publish", "asleep.jsonl"]).await.expect_code(0);
    // The standby goes on where the sleeper stopped, even behind locks that the sleeper holds.
    every_shard_has_epoch(&database, 2).await;
    sleeper.signal("CONT");
    effects_reach(&database, i64::from(KEYS * EVENTS)).await;
    stop(sleeper).await;
    stop(standby).await;
    judge(&database, KEYS, EVENTS).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_memory_alarm_is_said_and_waited_for_while_consuming_goes_on() {
    const KEYS: u32 = 500;
    const EVENTS: u32 = 40;
    let broker = Broker::start();
    let database = Database::fresh("story_alarm").await;
    let amqp = format!("amqp://guest:guest@127.0.0.1:{}/%2f", broker.amqp_port());
    let work = project((&amqp, &broker.management_url()), &database, 4, "quorum")
        .file("first.jsonl", &lines(KEYS, 10))
        .file("events.jsonl", &lines(KEYS, EVENTS));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work.topo(&["publish", "first.jsonl"]).await.expect_code(0);
    broker.ctl(&["set_vm_memory_high_watermark", "0.000001"]);
    let publisher = work.spawn(&["publish", "events.jsonl", "-o", "json"]);
    wait_for("the alarm to be said", LIMIT, async || {
        publisher.stderr().contains("broker blocked").then_some(())
    })
    .await;
    // Consuming has its own connection, which an alarm does not touch.
    let consumer = work.spawn(&["consume", "--all", "-o", "json"]);
    effects_reach(&database, i64::from(KEYS) * 10).await;
    broker.ctl(&["set_vm_memory_high_watermark", "0.6"]);
    let report = json(&publisher.wait(LIMIT).await.expect_code(0).stdout);
    assert_eq!(report["confirmed"].as_u64(), Some(u64::from(KEYS * EVENTS)), "{report}");
    effects_reach(&database, i64::from(KEYS * EVENTS)).await;
    stop(consumer).await;
    judge(&database, KEYS, EVENTS).await;
}
