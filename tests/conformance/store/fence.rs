//! Only the holder of the newest epoch commits.
//!
//! Invariant: one-owner.

use std::sync::atomic::{AtomicBool, Ordering};

use topo::ports::store::{Epoch, StoreKind};

use super::{Fixture, Worker, message, shard};

pub(crate) async fn the_first_epoch_is_one_and_each_take_over_raises_it(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    assert_eq!(worker.epoch, Epoch(1));
    assert_eq!(worker.session.acquire(&shard(0), "me").await.expect("an epoch"), Epoch(2));
    assert_eq!(worker.session.acquire(&shard(1), "me").await.expect("an epoch"), Epoch(1));
}

pub(crate) async fn an_old_epoch_can_not_begin(f: impl Fixture) {
    let mut old = Worker::start(&f, 0).await;
    old.run(&[message("a")]).await;
    let mut new = Worker::start(&f, 0).await;
    let error = old.begin().await.expect_err("fenced");
    assert_eq!(error.kind, StoreKind::Fenced);
    // Nothing stays locked behind a fenced session.
    new.run(&[message("b")]).await;
    assert_eq!(f.effects().await, ["a", "b"]);
}

pub(crate) async fn a_fenced_session_can_take_the_shard_again(f: impl Fixture) {
    let mut old = Worker::start(&f, 0).await;
    let mut new = Worker::start(&f, 0).await;
    old.begin().await.expect_err("fenced");
    old.epoch = old.session.acquire(&shard(0), "old").await.expect("an epoch");
    assert_eq!(old.epoch, Epoch(3));
    old.run(&[message("a")]).await;
    assert_eq!(new.begin().await.expect_err("fenced").kind, StoreKind::Fenced);
}

pub(crate) async fn a_take_over_waits_for_the_running_transaction(f: impl Fixture) {
    let mut old = Worker::start(&f, 0).await;
    let mut session = f.store().session(&f.handler()).await.expect("a session");
    let committing = AtomicBool::new(false);
    old.begin().await.expect("a transaction");
    let work = async {
        let batch = [message("a"), message("b")];
        old.session.claim(&batch).await.expect("claims");
        old.session.apply(&batch.iter().collect::<Vec<_>>()).await.map_err(|e| e.error).expect("effects");
        committing.store(true, Ordering::SeqCst);
        old.session.commit().await.expect("a commit");
    };
    let take_over = async {
        let epoch = session.acquire(&shard(0), "new").await.expect("an epoch");
        assert!(committing.load(Ordering::SeqCst), "the take-over overtook a running transaction");
        epoch
    };
    let (epoch, ()) = tokio::join!(take_over, work);
    assert_eq!(epoch, Epoch(2));
    assert_eq!(f.effects().await, ["a", "b"]);
    assert_eq!(old.begin().await.expect_err("fenced").kind, StoreKind::Fenced);
}

pub(crate) async fn another_shard_is_not_fenced(f: impl Fixture) {
    let mut zero = Worker::start(&f, 0).await;
    Worker::start(&f, 1).await.run(&[message("b")]).await;
    zero.run(&[message("a")]).await;
}

pub(crate) async fn an_unowned_shard_can_not_begin(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let error = worker.session.begin(&shard(5), Epoch(1)).await.expect_err("nobody owns it");
    assert_eq!(error.kind, StoreKind::Fenced);
    worker.run(&[message("a")]).await;
}
