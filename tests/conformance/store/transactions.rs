//! All or nothing, and no commit that did not happen.

use topo::ports::store::{Claim::Fresh, StoreKind};

use super::{Fixture, POISON, Worker, message};

pub(crate) async fn a_commit_keeps_claim_and_effect(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.run(&[message("a")]).await;
    assert_eq!(f.effects().await, ["a"]);
    assert_eq!(f.positions().await, [(0, 1, "a".to_owned())]);
}

pub(crate) async fn a_rollback_leaves_nothing(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.map_err(|e| e.error).expect("an effect");
    worker.session.rollback().await.expect("a rollback");
    assert!(f.effects().await.is_empty());
    assert_eq!(worker.run(&[message("a")]).await, [Fresh]);
}

pub(crate) async fn a_dropped_session_leaves_nothing(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a")]).await;
    worker.session.apply(&[&message("a")]).await.map_err(|e| e.error).expect("an effect");
    drop(worker);
    let mut next = Worker::start(&f, 0).await;
    assert_eq!(next.run(&[message("a")]).await, [Fresh]);
    assert_eq!(f.effects().await, ["a"]);
}

pub(crate) async fn a_failed_handler_names_its_message(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let batch = [message("a"), message("b"), message(POISON), message("c")];
    worker.claim(&batch).await;
    let error = worker.session.apply(&batch.iter().collect::<Vec<_>>()).await.expect_err("a failure");
    assert_eq!((error.index, error.error.kind), (2, StoreKind::Failed));
}

pub(crate) async fn after_a_failure_a_commit_is_refused(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a"), message(POISON)]).await;
    worker.session.apply(&[&message("a"), &message(POISON)]).await.expect_err("a failure");
    worker.session.commit().await.expect_err("a refusal");
    assert!(f.effects().await.is_empty());
    assert!(f.positions().await.is_empty());
    // The session is of use again.
    worker.run(&[message("a")]).await;
    assert_eq!(f.effects().await, ["a"]);
}

pub(crate) async fn a_failure_can_be_rolled_back_and_left_out(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a"), message(POISON)]).await;
    worker.session.apply(&[&message("a"), &message(POISON)]).await.expect_err("a failure");
    worker.session.rollback().await.expect("a rollback");
    worker.run(&[message("a")]).await;
    assert_eq!(f.effects().await, ["a"]);
}

pub(crate) async fn a_rollback_without_a_transaction_is_nothing(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.session.rollback().await.expect("nothing");
    worker.run(&[message("a")]).await;
    worker.session.rollback().await.expect("nothing");
    assert_eq!(f.effects().await, ["a"]);
}

pub(crate) async fn a_commit_without_a_transaction_is_refused(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.session.commit().await.expect_err("no transaction");
    worker.session.claim(&[message("a")]).await.expect_err("no transaction");
    worker.run(&[message("a")]).await;
}

pub(crate) async fn two_shards_commit_side_by_side(f: impl Fixture) {
    let (mut zero, mut one) = (Worker::start(&f, 0).await, Worker::start(&f, 1).await);
    let ids = |shard: u32| (0..20).map(move |n| message(&format!("{shard}-{n}"))).collect::<Vec<_>>();
    let work = async |worker: &mut Worker| {
        for message in ids(worker.shard.shard) {
            worker.run(&[message]).await;
        }
    };
    tokio::join!(work(&mut zero), work(&mut one));
    let positions = f.positions().await;
    assert_eq!(positions.len(), 40);
    for (index, (shard, position, _)) in positions.iter().enumerate() {
        assert_eq!((u64::from(*shard), *position), (index as u64 / 20, index as u64 % 20 + 1));
    }
}
