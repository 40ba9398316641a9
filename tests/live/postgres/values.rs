//! Conversion by the server: any column type, all digits kept.

use std::time::Duration;

use topo::ports::store::Claim::{Conflict, Duplicate, Fresh};

use crate::{
    conformance::make,
    suite::store::{SqlFixture, Worker, file, message, message_with, shard},
};

#[tokio::test]
async fn the_server_converts_every_occurrence_to_the_type_asked_for_there() {
    let f = make().await;
    f.query(
        "CREATE TYPE colour AS ENUM ('red', 'green'); \
         CREATE TABLE typed (id uuid, n numeric(30, 2), b bigint, t text, at timestamptz, c colour, j jsonb, js json, arr text[])",
    )
    .await;
    let handler = file(
        "h.sql",
        "INSERT INTO typed VALUES (:message_id, :sequence, :sequence, :sequence, :published_at, :type, :body, :body, ARRAY[:key, :type])",
    );
    let mut typed = message_with("0190c6f0-1111-7222-8333-444455556666", "k", "{\"a\": 1}");
    (typed.sequence, typed.event_type) = (Some(i64::MAX), Some("green".to_owned()));
    let mut worker = Worker::start_with(&f, &handler, shard(0)).await;
    worker.run(&[typed]).await;
    let row =
        f.query("SELECT concat_ws(' ', id, n, b, t, at AT TIME ZONE 'UTC', c, j, js, arr) FROM typed").await;
    assert_eq!(
        row[0].as_deref(),
        Some(
            "0190c6f0-1111-7222-8333-444455556666 9223372036854775807.00 9223372036854775807 9223372036854775807 \
             2026-11-30 12:00:00.123 green {\"a\": 1} {\"a\": 1} {k,green}"
        )
    );
}

#[tokio::test]
async fn thirty_digits_stay_thirty_digits() {
    let f = make().await;
    f.query("CREATE TABLE big (whole jsonb, field numeric)").await;
    let handler = file("h.sql", "INSERT INTO big VALUES (:body, CAST(:body ->> 'n' AS numeric))");
    let mut worker = Worker::start_with(&f, &handler, shard(0)).await;
    worker.run(&[message_with("a", "k", r#"{"n":123456789012345678901234567890}"#)]).await;
    let row = f.query("SELECT whole ->> 'n' || ' ' || field FROM big").await;
    assert_eq!(row[0].as_deref(), Some("123456789012345678901234567890 123456789012345678901234567890"));
}

#[tokio::test]
async fn ids_with_nul_are_claimed_and_told_apart() {
    let f = make().await;
    let mut worker = Worker::start_with(&f, &file("h.sql", "SELECT :key"), shard(0)).await;
    let nul = message("a\0b");
    assert_eq!(worker.run(&[nul.clone(), message("a")]).await, [Fresh, Fresh]);
    assert_eq!(worker.run(&[nul, message_with("a\u{fffd}b", "k", "{}")]).await, [Duplicate, Conflict]);
}

#[tokio::test]
async fn a_long_batch_of_slow_statements_is_not_taken_for_silence() {
    let f = make().await;
    Worker::start(&f, 9).await;
    let store = f.store_at(&f.database.url(), Duration::from_millis(400));
    let handler = file("h.sql", "SELECT pg_sleep(0.05), :key");
    let mut session = topo::ports::store::Store::session(&*store, &handler).await.unwrap();
    let epoch = session.acquire(&shard(0), "me").await.unwrap();
    let batch: Vec<_> = (0..20).map(|n| message(&n.to_string())).collect();
    let mut worker = Worker { session, shard: shard(0), epoch };
    assert_eq!(worker.run(&batch).await, [Fresh; 20]);
}
