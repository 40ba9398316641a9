//! The store in memory.

use std::sync::Arc;

use async_trait::async_trait;
use topo::{
    adapters::memory::store::MemoryStore,
    ports::store::{Store, StoreKind},
};

use crate::suite::store::{Fixture, POISON, Worker, message, shard, store_conformance};

struct Memory(MemoryStore);

async fn make() -> Memory {
    let store = MemoryStore::new();
    store.faults(|faults| faults.handler.insert(POISON.to_owned(), u32::MAX));
    Memory(store)
}

#[async_trait]
impl Fixture for Memory {
    fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }

    async fn effects(&self) -> Vec<String> {
        self.0.effects().into_iter().map(|effect| effect.message_id).collect()
    }

    async fn positions(&self) -> Vec<(u32, u64, String)> {
        let rows = self.0.processed("ledger");
        rows.into_iter().map(|row| (row.shard.shard, row.position, row.message_id)).collect()
    }

    async fn make_newer(&self) {
        self.0.set_version(Some(99));
    }
}

store_conformance!(make);

#[tokio::test]
async fn a_commit_lost_on_its_way_leaves_nothing_and_one_lost_on_its_way_back_leaves_all() {
    let f = make().await;
    for (id, before, after, effects) in [("a", 1, 0, 0), ("b", 0, 1, 1)] {
        f.0.faults(|faults| (faults.commits_lost_before, faults.commits_lost_after) = (before, after));
        let mut worker = Worker::start(&f, 0).await;
        worker.claim(&[message(id)]).await;
        worker.session.apply(&[&message(id)]).await.map_err(|e| e.error).unwrap();
        assert_eq!(worker.session.commit().await.unwrap_err().kind, StoreKind::Unreachable);
        assert_eq!(worker.begin().await.unwrap_err().kind, StoreKind::Unreachable);
        assert_eq!(f.effects().await.len(), effects);
    }
}

#[tokio::test]
async fn a_handler_fails_as_often_as_it_is_told() {
    let f = make().await;
    f.0.faults(|faults| faults.handler.insert("a".to_owned(), 2));
    let mut worker = Worker::start(&f, 0).await;
    for _ in 0..2 {
        worker.claim(&[message("a")]).await;
        worker.session.apply(&[&message("a")]).await.unwrap_err();
        worker.session.rollback().await.unwrap();
    }
    worker.run(&[message("a")]).await;
    assert_eq!(f.effects().await, ["a"]);
}

#[tokio::test]
async fn a_cut_connection_loses_its_transaction_and_frees_the_shard() {
    let f = make().await;
    let mut worker = Worker::start(&f, 0).await;
    worker.claim(&[message("a")]).await;
    f.0.cut_connections();
    assert_eq!(worker.session.commit().await.unwrap_err().kind, StoreKind::Unreachable);
    f.0.faults(|faults| faults.begins = 1);
    let mut next = Worker::start(&f, 0).await;
    assert_eq!(next.session.begin(&shard(0), next.epoch).await.unwrap_err().kind, StoreKind::Unreachable);
    Worker::start(&f, 0).await.run(&[message("a")]).await;
}
