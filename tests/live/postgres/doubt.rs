//! A commit whose answer is lost: the same transaction again gives exactly one effect (T116).

use std::time::Duration;

use topo::ports::store::{
    Claim::{Duplicate, Fresh},
    Store, StoreKind,
};

use crate::{
    conformance::{Postgres, make},
    harness::{postgres::server, proxy::Proxy, wait::wait_for},
    suite::store::{Fixture, Worker, message, shard},
};

const LIMIT: Duration = Duration::from_secs(20);

/// A worker through a proxy that has claimed and applied message `a`.
async fn applied(f: &Postgres, proxy: &Proxy) -> Worker {
    // Makes the tables.
    Worker::start(f, 9).await;
    let store = f.store_at(&f.database.url_via(proxy.port()), Duration::from_secs(30));
    let mut session = store.session(&f.handler()).await.unwrap();
    let epoch = session.acquire(&shard(0), "me").await.unwrap();
    let mut worker = Worker { session, shard: shard(0), epoch };
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.map_err(|e| e.error).unwrap();
    worker
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_found_by_running_again() {
    let f = make().await;
    let proxy = Proxy::start(server().port()).await;
    let mut worker = applied(&f, &proxy).await;
    proxy.stall(false, true);
    let cut = async {
        wait_for("the commit", LIMIT, async || (f.effects().await.len() == 1).then_some(())).await;
        proxy.cut();
    };
    let (lost, ()) = tokio::join!(worker.session.commit(), cut);
    assert_eq!(lost.unwrap_err().kind, StoreKind::Unreachable);
    assert_eq!(worker.begin().await.unwrap_err().kind, StoreKind::Unreachable);
    assert_eq!(Worker::start(&f, 0).await.run(&[message("a")]).await, [Duplicate]);
    assert_eq!(f.effects().await, ["a"]);
}

#[tokio::test]
async fn a_commit_that_never_arrived_is_made_good_by_running_again() {
    let f = make().await;
    let proxy = Proxy::start(server().port()).await;
    let mut worker = applied(&f, &proxy).await;
    proxy.stall(true, false);
    // The commit lies in the proxy when the line is cut.
    let cut = async {
        tokio::task::yield_now().await;
        proxy.cut();
    };
    let (lost, ()) = tokio::join!(worker.session.commit(), cut);
    assert_eq!(lost.unwrap_err().kind, StoreKind::Unreachable);
    assert!(f.effects().await.is_empty());
    assert_eq!(Worker::start(&f, 0).await.run(&[message("a")]).await, [Fresh]);
    assert_eq!(f.effects().await, ["a"]);
}

#[tokio::test]
async fn a_session_that_the_server_ended_is_unreachable_and_leaves_nothing() {
    let f = make().await;
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a")]).await;
    f.database
        .query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'topo' AND datname = current_database()")
        .await;
    let failure = worker.session.apply(&[&message("a")]).await.unwrap_err();
    assert_eq!(failure.error.kind, StoreKind::Unreachable, "{}", failure.error);
    assert_eq!(worker.session.commit().await.unwrap_err().kind, StoreKind::Unreachable);
    assert_eq!(worker.session.rollback().await.map_err(|e| e.kind), Ok(()));
    assert_eq!(Worker::start(&f, 0).await.run(&[message("a")]).await, [Fresh]);
}

#[tokio::test]
async fn an_abandoned_call_makes_the_session_useless_and_frees_the_shard() {
    let f = make().await;
    let slow = crate::suite::store::file("h.sql", "SELECT pg_sleep(60), :key");
    let mut worker = Worker::start_with(&f, &slow, shard(0)).await;
    worker.claim(&[message("a")]).await;
    let running = message("a");
    let batch = [&running];
    let started = async {
        let sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()";
        wait_for("the statement", LIMIT, async || f.database.query(sql).await.pop()).await;
    };
    tokio::select! {
        biased;
        _ = worker.session.apply(&batch) => panic!("sixty seconds are over"),
        () = started => {}
    }
    assert_eq!(worker.session.commit().await.unwrap_err().kind, StoreKind::Unreachable);
    drop(worker);
    // The server looks for its client every two seconds.
    assert_eq!(Worker::start(&f, 0).await.run(&[message("a")]).await, [Fresh]);
}
