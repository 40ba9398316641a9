//! The whole job through the binary, on real servers, with real signals.
//!
//! The handler's table has no unique key, so every repeated effect would be seen; the order of effects is
//! the order of a serial column.

use std::{fmt::Write as _, time::Duration};

use topo::domain::hash::HashKind;

use crate::harness::{
    postgres::Database,
    rabbitmq::{Broker, Vhost},
    topo::{Running, Workdir},
    wait::wait_for,
};

pub(crate) const LIMIT: Duration = Duration::from_secs(300);

const HANDLER: &str = "INSERT INTO effects (key, sequence, shard) VALUES (:key, :sequence, :shard);\n";
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS effects (\
    place bigserial PRIMARY KEY, key text NOT NULL, sequence bigint NOT NULL, shard integer NOT NULL);\n";

/// A directory with a topology of `shards` shards and a consumer that records effects in `database`.
pub(crate) fn project(
    (amqp, management): (&str, &str),
    database: &Database,
    shards: u32,
    kind: &str,
) -> Workdir {
    let topology = format!(
        "topology: story\nshards: {{count: {shards}, key: /key}}\nqueues: {{type: {kind}}}\n\
         message: {{id: /id, sequence: /seq}}\nconsumers: {{effects: {{}}}}\n"
    );
    Workdir::new()
        .env("TOPO_BROKER_URL", amqp)
        .env("TOPO_MANAGEMENT_URL", management)
        .env("TOPO_STORE_URL", &database.url())
        .file("topology.yaml", &topology)
        .file(
            "consumers/effects/consumer.yaml",
            "handler: {sql: handler.sql}\nretry: {attempts: 3, backoff: 10ms..100ms}\n",
        )
        .file("consumers/effects/handler.sql", HANDLER)
        .file("consumers/effects/schema.sql", SCHEMA)
}

/// `events` events of each of `keys` keys; keys take turns, so neighbours are never of one key.
pub(crate) fn lines(keys: u32, events: u32) -> String {
    let mut text = String::new();
    for seq in 1..=events {
        for key in 0..keys {
            writeln!(text, r#"{{"key":"order-{key}","id":"{key}.{seq}","seq":{seq}}}"#).unwrap();
        }
    }
    text
}

pub(crate) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}

/// effect-once and per-key-order: each key has the effects 1..=events, applied in this order.
pub(crate) async fn judge(database: &Database, keys: u32, events: u32) {
    let client = database.client().await;
    let row = client
        .query_one(
            "SELECT count(*), count(DISTINCT key), count(*) FILTER (WHERE sequence <> expected), \
                    count(*) FILTER (WHERE last) \
             FROM (SELECT key, sequence, row_number() OVER w AS expected, \
                          sequence = $1 AND lead(sequence) OVER w IS NULL AS last \
                   FROM effects WINDOW w AS (PARTITION BY key ORDER BY place)) AS applied",
            &[&i64::from(events)],
        )
        .await
        .unwrap();
    let count = |column: usize| row.get::<_, i64>(column);
    assert_eq!(count(0), i64::from(keys * events), "effect-once: one effect per event");
    assert_eq!(count(1), i64::from(keys), "no-loss: every key");
    assert_eq!(count(2), 0, "per-key-order: the n-th effect of a key is its event n");
    assert_eq!(count(3), i64::from(keys), "the last effect of each key is its last event");
    let gaps = client
        .query_one(
            "SELECT count(*) FROM (SELECT position, row_number() OVER (PARTITION BY consumer, generation, shard \
             ORDER BY position) AS expected FROM topo.processed_messages) AS p WHERE position <> expected",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(gaps.get::<_, i64>(0), 0, "positions have no gap");
}

async fn hundred_thousand(kind: &str) {
    const KEYS: u32 = 5000;
    const EVENTS: u32 = 20;
    let vhost = Vhost::fresh(&format!("story-{kind}"));
    let database = Database::fresh(&format!("story_{kind}")).await;
    let work = project((&vhost.amqp_url(), &vhost.management_url()), &database, 8, kind)
        .file("events.jsonl", &lines(KEYS, EVENTS));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let again = work.topo(&["apply", "--yes", "-o", "json"]).await.expect_code(0);
    assert_eq!(json(&again.stdout)["changes"], serde_json::json!([]), "a second apply changes nothing");

    let published = work.spawn(&["publish", "events.jsonl", "-o", "json"]).wait(LIMIT).await.expect_code(0);
    let report = json(&published.stdout);
    assert_eq!((report["read"].as_u64(), report["confirmed"].as_u64()), (Some(100_000), Some(100_000)));
    for shard in 0..8_u32 {
        let keys =
            (0..KEYS).filter(|k| HashKind::Xxh64.hash(&format!("order-{k}")).shard(8) == shard).count();
        let expected = u64::try_from(keys).unwrap() * u64::from(EVENTS);
        assert_eq!(report["per_shard"][usize::try_from(shard).unwrap()].as_u64(), Some(expected));
    }

    // Kill a consumer in the middle of its work ten times; the last one runs to the end.
    for round in 1..=10_i64 {
        let mut victim = work.spawn(&["consume", "--all"]);
        let client = database.client().await;
        wait_for("effects of this round", LIMIT, async || {
            assert!(victim.is_running(), "it must not end by itself: {}", victim.stderr());
            let row = client.query_one("SELECT count(*) FROM effects", &[]).await.unwrap();
            (row.get::<_, i64>(0) >= round * 4000).then_some(())
        })
        .await;
        victim.signal("KILL");
        victim.wait(LIMIT).await;
    }
    let done =
        work.spawn(&["consume", "--all", "--until-empty", "-o", "json"]).wait(LIMIT).await.expect_code(0);
    judge(&database, KEYS, EVENTS).await;
    assert_eq!(json(&done.stdout)["misrouted"], 0);
    for shard in database.client().await.query("SELECT key, shard FROM effects", &[]).await.unwrap() {
        let (key, on): (String, i32) = (shard.get(0), shard.get(1));
        assert_eq!(
            i64::from(HashKind::Xxh64.hash(&key).shard(8)),
            i64::from(on),
            "each queue holds keys of its shard"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_events_through_ten_kills_on_quorum_queues() {
    hundred_thousand("quorum").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_events_through_ten_kills_on_classic_queues() {
    hundred_thousand("classic").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_restart_in_the_middle_of_both_loses_doubles_and_reorders_nothing() {
    const KEYS: u32 = 1000;
    const EVENTS: u32 = 40;
    let mut broker = Broker::start();
    let database = Database::fresh("story_restart").await;
    // Its own broker's default vhost: it outlives the restart.
    let amqp = format!("amqp://guest:guest@127.0.0.1:{}/%2f", broker.amqp_port());
    let work = project((&amqp, &broker.management_url()), &database, 4, "quorum")
        .file("events.jsonl", &lines(KEYS, EVENTS));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let consumer = work.spawn(&["consume", "--all", "-o", "json"]);
    let publisher = work.spawn(&["publish", "events.jsonl", "-o", "json"]);
    let client = database.client().await;
    wait_for("work to be under way", LIMIT, async || {
        let row = client.query_one("SELECT count(*) FROM effects", &[]).await.ok()?;
        (row.get::<_, i64>(0) >= 2000).then_some(())
    })
    .await;
    broker.stop();
    broker.start_again();
    let published = publisher.wait(LIMIT).await.expect_code(0);
    let report = json(&published.stdout);
    assert_eq!(report["confirmed"].as_u64(), Some(u64::from(KEYS * EVENTS)), "{report}");
    wait_for("every effect", LIMIT, async || {
        let row = client.query_one("SELECT count(*) FROM effects", &[]).await.ok()?;
        (row.get::<_, i64>(0) >= i64::from(KEYS * EVENTS)).then_some(())
    })
    .await;
    let consumed = stop(consumer).await;
    assert!(consumed["reconnects"].as_u64() > Some(0), "{consumed}");
    judge(&database, KEYS, EVENTS).await;
}

/// SIGTERM: a clean drain, exit code 130, and the report all the same.
pub(crate) async fn stop(consumer: Running) -> serde_json::Value {
    consumer.signal("TERM");
    json(&consumer.wait(LIMIT).await.expect_code(130).stdout)
}
