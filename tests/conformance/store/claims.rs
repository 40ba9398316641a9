//! First seen, seen before, seen with other content; and the order of application.

use topo::{
    domain::message::ShardId,
    ports::store::Claim::{Conflict, Duplicate, Fresh},
};

use super::{Fixture, Worker, message, message_with};

pub(crate) async fn a_first_message_is_fresh(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    assert_eq!(worker.run(&[message("a"), message("b")]).await, [Fresh, Fresh]);
    assert_eq!(f.effects().await, ["a", "b"]);
}

pub(crate) async fn a_processed_message_is_a_duplicate(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.run(&[message("a")]).await;
    assert_eq!(worker.run(&[message("b"), message("a"), message("c")]).await, [Fresh, Duplicate, Fresh]);
    assert_eq!(f.effects().await, ["a", "b", "c"]);
}

pub(crate) async fn an_id_with_another_body_is_a_conflict(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.run(&[message("a")]).await;
    let other = message_with("a", "k", r#"{"amount":"8"}"#);
    assert_eq!(worker.run(&[other, message("a")]).await, [Conflict, Duplicate]);
}

pub(crate) async fn an_id_with_another_key_is_a_conflict_on_any_shard(f: impl Fixture) {
    Worker::start(&f, 0).await.run(&[message("a")]).await;
    let mut worker = Worker::start(&f, 1).await;
    let other = message_with("a", "other", r#"{"amount":"7"}"#);
    assert_eq!(worker.run(&[other, message("b")]).await, [Conflict, Fresh]);
    assert_eq!(f.positions().await, [(0, 1, "a".to_owned()), (1, 1, "b".to_owned())]);
}

pub(crate) async fn of_an_id_twice_in_a_batch_the_first_is_fresh(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let other = message_with("a", "k", r#"{"amount":"8"}"#);
    let batch = [message("a"), message("b"), message("a"), other, message("c")];
    assert_eq!(worker.run(&batch).await, [Fresh, Fresh, Duplicate, Conflict, Fresh]);
    assert_eq!(f.effects().await, ["a", "b", "c"]);
    let positions: Vec<u64> = f.positions().await.into_iter().map(|(_, position, _)| position).collect();
    assert_eq!(positions, [1, 2, 3]);
}

pub(crate) async fn an_id_belongs_to_its_consumer(f: impl Fixture) {
    Worker::start(&f, 0).await.run(&[message("a")]).await;
    let shard = ShardId { consumer: "audit".to_owned(), generation: 1, shard: 0 };
    let mut audit = Worker::start_with(&f, &f.handler(), shard).await;
    assert_eq!(audit.run(&[message("a")]).await, [Fresh]);
}

pub(crate) async fn positions_have_no_gaps_over_duplicates_and_rollbacks(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.run(&[message("a"), message("b")]).await;
    worker.claim(&[message("x"), message("y")]).await;
    worker.session.rollback().await.expect("a rollback");
    worker.run(&[message("a"), message("c"), message("b")]).await;
    worker.run(&[message("a")]).await;
    // A new owner goes on where the old one was.
    Worker::start(&f, 0).await.run(&[message("d")]).await;
    let expected = [(0, 1, "a"), (0, 2, "b"), (0, 3, "c"), (0, 4, "d")];
    assert_eq!(f.positions().await, expected.map(|(shard, position, id)| (shard, position, id.to_owned())));
}

pub(crate) async fn positions_follow_the_order_of_application(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let ids: Vec<String> = (0..40).map(|n| format!("id-{}", (n * 17) % 40)).collect();
    let messages: Vec<_> = ids.iter().map(|id| message(id)).collect();
    worker.run(&messages[..25]).await;
    // Two claims within one transaction go on counting.
    worker.claim(&messages[25..30]).await;
    worker.session.claim(&messages[30..]).await.expect("claims");
    let rest: Vec<_> = messages[25..].iter().collect();
    worker.session.apply(&rest).await.map_err(|e| e.error).expect("effects");
    worker.session.commit().await.expect("a commit");
    assert_eq!(f.effects().await, ids);
    let expected: Vec<_> = (1..).zip(&ids).map(|(position, id)| (0, position, id.clone())).collect();
    assert_eq!(f.positions().await, expected);
}

pub(crate) async fn nothing_to_claim_is_nothing_claimed(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    assert_eq!(worker.run(&[]).await, []);
}

pub(crate) async fn a_message_without_sequence_type_and_times_is_claimed(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let mut bare = message("a");
    (bare.sequence, bare.event_type, bare.correlation_id, bare.published_at_ms) = (None, None, None, None);
    let mut odd = message("b");
    odd.published_at_ms = Some(i64::MAX);
    odd.sequence = Some(i64::MIN);
    assert_eq!(worker.run(&[bare, odd]).await, [Fresh, Fresh]);
}

pub(crate) async fn unicode_survives(f: impl Fixture) {
    let mut worker = Worker::start(&f, 0).await;
    let ids = ["注文-1", "🦀'\"\\;--", "e\u{301}", "é"];
    let messages = ids.map(|id| message_with(id, id, r#"{"amount":"1","名":"🦀"}"#));
    assert_eq!(worker.run(&messages).await, [Fresh; 4]);
    assert_eq!(f.effects().await, ids);
    assert_eq!(worker.run(&messages).await, [Duplicate; 4]);
}
