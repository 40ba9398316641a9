//! The face of one connection: every call runs to its end, or the session is of no more use.

use async_trait::async_trait;

use super::transaction::State;
use crate::{
    domain::message::{Message, ShardId},
    ports::store::{ApplyError, Claim, Committed, Epoch, Session, StoreError, StoreKind},
};

/// A session.
pub(super) struct PostgresSession {
    state: State,
    /// Set while a call runs; an abandoned call leaves it set (T86).
    running: bool,
}

impl PostgresSession {
    /// A session without a transaction.
    pub(super) const fn new(state: State) -> Self {
        Self { state, running: false }
    }

    fn enter(&mut self) -> Result<(), StoreError> {
        if self.running {
            return Err(StoreError::new(StoreKind::Unreachable, "an earlier call was abandoned"));
        }
        self.running = true;
        Ok(())
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        if self.running {
            // An abandoned statement would keep its locks to its end.
            self.state.connection.abort();
        }
    }
}

#[async_trait]
impl Session for PostgresSession {
    async fn acquire(&mut self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        self.enter()?;
        let epoch = self.state.acquire(shard, owner).await;
        self.running = false;
        epoch
    }

    async fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Result<(), StoreError> {
        self.enter()?;
        let begun = self.state.begin(shard, epoch).await;
        self.running = false;
        begun
    }

    async fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError> {
        self.enter()?;
        let claims = self.state.claim(messages).await;
        self.running = false;
        claims
    }

    async fn apply(&mut self, messages: &[&Message]) -> Result<(), ApplyError> {
        self.enter().map_err(|error| ApplyError { index: 0, error })?;
        let applied = self.state.apply(messages).await;
        self.running = false;
        applied
    }

    async fn commit(&mut self) -> Result<Committed, StoreError> {
        self.enter()?;
        let committed = self.state.commit().await;
        self.running = false;
        committed
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.enter()?;
        let rolled_back = if self.state.is_open() { self.state.rollback().await } else { Ok(()) };
        self.running = false;
        rolled_back
    }
}
