//! Consuming through the binary: what blocks, what is refused, where the key may stand.

use std::time::Duration;

use lapin::{
    BasicProperties, Connection, ConnectionProperties,
    options::{BasicPublishOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldTable},
};
use serde_json::Value;

use crate::{
    harness::{
        postgres::Database,
        rabbitmq::{Vhost, encode},
        topo::{Finished, Workdir},
    },
    story,
};

const UNTIL_EMPTY: &[&str] = &["consume", "--all", "--until-empty", "-o", "json"];

fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap()
}

fn work(vhost: &Vhost<'_>, database: &Database, shards: u32) -> Workdir {
    story::project((&vhost.amqp_url(), &vhost.management_url()), database, shards, "quorum")
}

async fn effects(database: &Database) -> i64 {
    database.client().await.query_one("SELECT count(*) FROM effects", &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_constraint_that_fails_at_commit_blocks_its_message_and_no_other_shard() {
    let vhost = Vhost::fresh("consume-deferred");
    let database = Database::fresh("consume_deferred").await;
    let work = work(&vhost, &database, 4)
        .file(
            "consumers/effects/schema.sql",
            "CREATE TABLE IF NOT EXISTS allowed (key text PRIMARY KEY);\n\
             CREATE TABLE IF NOT EXISTS effects (place bigserial PRIMARY KEY, key text NOT NULL \
             REFERENCES allowed DEFERRABLE INITIALLY DEFERRED, sequence bigint NOT NULL, shard integer NOT NULL);\n",
        )
        .file("events.jsonl", &story::lines(40, 5));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let client = database.client().await;
    let allow = "INSERT INTO allowed SELECT 'order-' || n FROM generate_series(0, 39) AS n WHERE n <> 7";
    client.execute(allow, &[]).await.unwrap();
    work.topo(&["publish", "events.jsonl"]).await.expect_code(0);

    let blocked = work.topo(UNTIL_EMPTY).await.expect_code(3);
    let report = json(&blocked);
    assert_eq!(report["blocked"].as_object().unwrap().len(), 1, "{report}");
    assert!(blocked.stderr.contains("order-7"), "the log names the key: {}", blocked.stderr);
    let before = effects(&database).await;
    assert!(before > 100, "the other shards are done: {before}");

    client.execute("INSERT INTO allowed VALUES ('order-7')", &[]).await.unwrap();
    work.topo(UNTIL_EMPTY).await.expect_code(0);
    story::judge(&database, 40, 5).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_that_is_not_single_active_consumer_is_refused() {
    let vhost = Vhost::fresh("consume-shared");
    let database = Database::fresh("consume_shared").await;
    let work = work(&vhost, &database, 1);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let queue = format!("/{}", encode("story.effects.g1.0"));
    vhost.management("DELETE", "queues", &queue, "");
    let shared = r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#;
    assert_eq!(vhost.management("PUT", "queues", &queue, shared).0, 201);
    let refused = work.topo(UNTIL_EMPTY).await.expect_code(5);
    assert!(
        refused.stderr.contains("TOPO0403") && refused.stderr.contains("story.effects.g1.0"),
        "{}",
        refused.stderr
    );
    // Without the management API the broker's own comparison says the same, or that it can't be seen.
    let blind = work.env("TOPO_MANAGEMENT_URL", "http://127.0.0.1:1");
    let finished = blind.topo(UNTIL_EMPTY).await;
    assert!(finished.stderr.contains("single-active-consumer"), "{}", finished.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_in_a_header_orders_messages_of_other_producers() {
    let vhost = Vhost::fresh("consume-header");
    let database = Database::fresh("consume_header").await;
    let work = work(&vhost, &database, 1).file(
        "topology.yaml",
        "topology: story\nshards: {count: 1, key: 'header:order'}\nconsumers: {effects: {}}\n",
    );
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let connection = Connection::connect(&vhost.amqp_url(), ConnectionProperties::default()).await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    channel.confirm_select(ConfirmSelectOptions::default()).await.unwrap();
    for seq in 1..=3_i64 {
        let mut headers = FieldTable::default();
        headers.insert("order".into(), AMQPValue::LongString("order-0".into()));
        headers.insert("topo-sequence".into(), AMQPValue::LongLongInt(seq));
        let properties =
            BasicProperties::default().with_message_id(format!("m{seq}").into()).with_headers(headers);
        #[expect(clippy::disallowed_methods, reason = "a producer in somebody else's program")]
        let confirm = channel
            .basic_publish(
                "story".into(),
                "story.g1.0of1".into(),
                BasicPublishOptions::default(),
                b"{}",
                properties.clone(),
            )
            .await
            .unwrap();
        assert!(confirm.await.unwrap().is_ack());
    }
    connection.close(200, "done".into()).await.unwrap();
    let finished = work.topo(UNTIL_EMPTY).await.expect_code(0);
    assert_eq!(json(&finished)["committed"], 3);
    assert!(finished.stderr.contains("no persistent delivery mode"), "{}", finished.stderr);
    story::judge(&database, 1, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_budget_is_kept_to_the_message_and_the_rest_stays_in_order() {
    let vhost = Vhost::fresh("consume-budget");
    let database = Database::fresh("consume_budget").await;
    let work = work(&vhost, &database, 4).file("events.jsonl", &story::lines(50, 10));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work.topo(&["publish", "events.jsonl"]).await.expect_code(0);
    let some = work.topo(&["consume", "--all", "--max-messages", "123", "-o", "json"]).await.expect_code(0);
    assert_eq!((json(&some)["committed"].as_u64(), effects(&database).await), (Some(123), 123));
    let rest = work.topo(&["consume", "--all", "--idle-timeout", "3s", "-o", "json"]).await.expect_code(0);
    assert_eq!(json(&rest)["committed"], 500 - 123);
    story::judge(&database, 50, 10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_stays_flat_whatever_is_piped_in() {
    const LINES: u32 = 200_000;
    let vhost = Vhost::fresh("publish-flat");
    let database = Database::fresh("publish_flat").await;
    let work = story::project((&vhost.amqp_url(), &vhost.management_url()), &database, 4, "classic");
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let mut publisher = work.spawn(&["publish", "-o", "json"]);
    let filler = "x".repeat(600);
    let mut peak = 0;
    for chunk in 0..LINES / 1000 {
        let lines: String = (chunk * 1000..(chunk + 1) * 1000)
            .map(|n| format!("{{\"key\":\"order-{}\",\"id\":\"{n}\",\"note\":\"{filler}\"}}\n", n % 5000))
            .collect();
        publisher.write(&lines).await;
        peak = peak.max(publisher.resident_kib());
    }
    let report = json(&publisher.wait(Duration::from_secs(240)).await.expect_code(0));
    assert_eq!(report["confirmed"].as_u64(), Some(u64::from(LINES)));
    assert!(peak < 150 * 1024, "memory is bounded by publish.in_flight*, not by the input: {peak} KiB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn per_key_order_a_changed_shard_rule_is_refused_before_anything_moves() {
    let vhost = Vhost::fresh("consume-rule");
    let database = Database::fresh("consume_rule").await;
    let before = work(&vhost, &database, 3).file("events.jsonl", &story::lines(20, 2));
    before.topo(&["apply", "--yes"]).await.expect_code(0);
    before.topo(&["publish", "events.jsonl"]).await.expect_code(0);
    for (count, hash) in [(4, "xxh64"), (3, "xxh3")] {
        let changed = work(&vhost, &database, count).file(
            "topology.yaml",
            &format!(
                "topology: story\nshards: {{count: {count}, key: /key, hash: {hash}}}\n\
                 message: {{id: /id, sequence: /seq}}\nconsumers: {{effects: {{}}}}\n"
            ),
        );
        for command in [&["apply", "--yes"][..], UNTIL_EMPTY] {
            let refused = changed.topo(command).await.expect_code(5);
            assert!(refused.stderr.contains("TOPO0207"), "{}", refused.stderr);
        }
        assert_eq!(changed.topo(&["plan"]).await.status.code(), Some(3), "the plan says so too");
    }
    before.topo(UNTIL_EMPTY).await.expect_code(0);
    story::judge(&database, 20, 2).await;
}
