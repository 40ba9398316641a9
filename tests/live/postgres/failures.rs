//! Failures of statements and of commits, by their SQLSTATE.

use std::time::Duration;

use topo::ports::store::{
    Claim::{Duplicate, Fresh},
    Store, StoreKind,
};

use crate::{
    conformance::make,
    harness::wait::wait_for,
    suite::store::{Fixture, SqlFixture, Worker, file, message, message_with, shard},
};

const LIMIT: Duration = Duration::from_secs(20);

#[tokio::test]
async fn codes_decide_whether_a_transaction_is_run_again() {
    let f = make().await;
    Worker::start(&f, 9).await;
    f.query(
        "CREATE FUNCTION fail(code text) RETURNS void LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = code; END $$",
    )
    .await;
    let handler = file("h.sql", "SELECT fail(:key)");
    let mut worker = Worker::start_with(&f, &handler, shard(0)).await;
    let cases = [
        ("40001", StoreKind::Retryable),
        ("40P01", StoreKind::Retryable),
        ("55P03", StoreKind::Retryable),
        ("57014", StoreKind::Retryable),
        ("53100", StoreKind::Retryable),
        ("53300", StoreKind::Retryable),
        ("58030", StoreKind::Retryable),
        ("57P01", StoreKind::Unreachable),
        ("08006", StoreKind::Unreachable),
        ("25006", StoreKind::Unreachable),
        ("42501", StoreKind::Refused),
        ("22012", StoreKind::Failed),
        ("23505", StoreKind::Failed),
        ("P0001", StoreKind::Failed),
        ("XX000", StoreKind::Failed),
    ];
    for (number, (code, kind)) in cases.into_iter().enumerate() {
        let bad = message_with(&format!("m-{number}"), code, "{}");
        worker.claim(std::slice::from_ref(&bad)).await;
        let failure = worker.session.apply(&[&bad]).await.unwrap_err();
        assert_eq!(failure.error.kind, kind, "{code}: {}", failure.error);
        let text = failure.error.to_string();
        assert!(text.contains(code) && text.contains("injected") && text.starts_with("h.sql:1:1"), "{text}");
        let refused = worker.session.commit().await.unwrap_err();
        if kind == StoreKind::Unreachable {
            worker = Worker::start_with(&f, &handler, shard(0)).await;
        } else {
            // Nobody has told the session: the probe finds the aborted transaction (T111).
            assert!(refused.to_string().contains("25P02"), "{refused}");
        }
    }
    assert!(f.positions().await.is_empty());
}

#[tokio::test]
async fn what_only_the_commit_finds_out_is_not_a_commit() {
    let f = make().await;
    Worker::start(&f, 9).await;
    f.query(
        "CREATE TABLE parents (id text PRIMARY KEY); \
         CREATE TABLE children (id text REFERENCES parents DEFERRABLE INITIALLY DEFERRED)",
    )
    .await;
    let handler = file("h.sql", "INSERT INTO children VALUES (:key)");
    let mut worker = Worker::start_with(&f, &handler, shard(0)).await;
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.map_err(|e| e.error).unwrap();
    let error = worker.session.commit().await.unwrap_err();
    assert_eq!(error.kind, StoreKind::Failed);
    assert!(error.to_string().contains("23503"), "{error}");
    assert!(f.positions().await.is_empty());
    f.query("INSERT INTO parents VALUES ('k')").await;
    assert_eq!(worker.run(&[message("a")]).await, [Fresh]);
}

#[tokio::test]
async fn a_commit_with_a_warning_is_in_doubt_and_running_again_settles_it() {
    let f = make().await;
    Worker::start(&f, 9).await;
    f.query(
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'late'; RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER late AFTER INSERT ON effects DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION warn()",
    )
    .await;
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.map_err(|e| e.error).unwrap();
    assert_eq!(worker.session.commit().await.unwrap_err().kind, StoreKind::Unreachable);
    assert_eq!(Worker::start(&f, 0).await.run(&[message("a")]).await, [Duplicate]);
    assert_eq!(f.effects().await, ["a"]);
}

#[tokio::test]
async fn a_row_that_stays_locked_ends_the_wait_and_can_be_tried_again() {
    let f = make().await;
    let mut worker = Worker::start(&f, 0).await;
    let impatient = f.store_at(&f.database.url(), Duration::from_millis(100));
    let mut session = impatient.session(&f.handler()).await.unwrap();
    worker.begin().await.unwrap();
    for _ in 0..2 {
        assert_eq!(session.begin(&shard(0), worker.epoch).await.unwrap_err().kind, StoreKind::Retryable);
        assert_eq!(session.acquire(&shard(0), "me").await.unwrap_err().kind, StoreKind::Retryable);
    }
    worker.session.rollback().await.unwrap();
    session.begin(&shard(0), worker.epoch).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_that_another_shard_commits_meanwhile_leaves_no_gap() {
    let f = make().await;
    let (mut zero, mut one) = (Worker::start(&f, 0).await, Worker::start(&f, 1).await);
    let batch = ["x", "a", "y"].map(message);
    zero.claim(&[message("a")]).await;
    one.begin().await.unwrap();
    let commit = async {
        let waiting = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        wait_for("the second claim to wait", LIMIT, async || f.query(waiting).await.pop()).await;
        zero.session.commit().await.unwrap();
    };
    let (claims, ()) = tokio::join!(one.session.claim(&batch), commit);
    assert_eq!(claims.unwrap_err().kind, StoreKind::Retryable);
    one.session.rollback().await.unwrap();
    assert_eq!(one.run(&batch).await, [Fresh, Duplicate, Fresh]);
    let positions: Vec<_> = f.positions().await.into_iter().map(|(shard, place, _)| (shard, place)).collect();
    assert_eq!(positions, [(0, 1), (1, 1), (1, 2)]);
}

#[tokio::test]
async fn values_stay_out_of_failures() {
    let f = make().await;
    let mut worker = Worker::start(&f, 0).await;
    let bad = message_with("a", "k", r#"{"amount":"se\"cret"}"#);
    worker.claim(std::slice::from_ref(&bad)).await;
    let error = worker.session.apply(&[&bad]).await.unwrap_err().error;
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("22P02") && shown.contains("integer") && !shown.contains("cret"), "{shown}");
}
