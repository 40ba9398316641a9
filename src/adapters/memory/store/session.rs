//! One connection to the store in memory.

use std::time::Duration;

use async_trait::async_trait;
use tokio::{sync::OwnedSemaphorePermit, time};

use super::{
    MemoryStore,
    faults::take,
    world::{Effect, Processed, Writes},
};
use crate::{
    domain::message::{Message, ShardId},
    ports::store::{ApplyError, Claim, Committed, Epoch, Session, StoreError, StoreKind},
};

/// How long a row lock is waited for, as a statement timeout would allow.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// A session.
#[derive(Debug)]
pub(super) struct MemorySession {
    store: MemoryStore,
    /// The generation of connections it belongs to.
    connection: u64,
    dead: bool,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    shard: ShardId,
    position: u64,
    writes: Writes,
    failed: bool,
    _row: OwnedSemaphorePermit,
}

impl MemorySession {
    pub(super) const fn new(store: MemoryStore, connection: u64) -> Self {
        Self { store, connection, dead: false, open: None }
    }

    /// Fails when the connection is gone; its transaction is gone with it.
    fn alive(&mut self) -> Result<(), StoreError> {
        if self.dead || self.store.lock().connections != self.connection {
            return Err(self.die());
        }
        Ok(())
    }

    fn die(&mut self) -> StoreError {
        self.dead = true;
        self.open = None;
        StoreError::new(StoreKind::Unreachable, "the connection to the store is closed")
    }

    /// The open transaction, when it may still be committed.
    fn usable(&mut self) -> Result<&mut Open, StoreError> {
        self.alive()?;
        let failed = |text| StoreError::new(StoreKind::Failed, text);
        let open = self.open.as_mut().ok_or_else(|| failed("no transaction is open"))?;
        if open.failed {
            return Err(failed("a statement of this transaction failed; it can only be rolled back"));
        }
        Ok(open)
    }

    async fn row(&self, shard: &ShardId) -> Result<OwnedSemaphorePermit, StoreError> {
        let row = self.store.lock().owner(shard).row.clone();
        let waited = || StoreError::new(StoreKind::Retryable, "waited for the shard's row in vain");
        time::timeout(LOCK_WAIT, row.acquire_owned()).await.map_err(|_| waited())?.map_err(|_| waited())
    }
}

#[async_trait]
impl Session for MemorySession {
    async fn acquire(&mut self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        self.alive()?;
        let _row = self.row(shard).await?;
        self.alive()?;
        Ok(self.store.lock().take(shard, owner))
    }

    async fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Result<(), StoreError> {
        self.alive()?;
        if self.open.is_some() {
            return Err(StoreError::new(StoreKind::Failed, "a transaction is already open"));
        }
        if take(&mut self.store.lock().faults.begins) {
            return Err(self.die());
        }
        let row = self.row(shard).await?;
        self.alive()?;
        let mut world = self.store.lock();
        let owner = world.owner(shard);
        if owner.epoch != epoch.0 {
            return Err(StoreError::new(StoreKind::Fenced, "the shard has a newer epoch"));
        }
        let (shard, position) = (shard.clone(), owner.position);
        drop(world);
        self.open = Some(Open { shard, position, writes: Writes::default(), failed: false, _row: row });
        Ok(())
    }

    async fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError> {
        let store = self.store.clone();
        let open = self.usable()?;
        let world = store.lock();
        let mut claims = Vec::with_capacity(messages.len());
        for message in messages {
            let id = (open.shard.consumer.clone(), message.message_id.clone());
            let earlier = open.writes.processed.iter().find(|row| row.message_id == message.message_id);
            let known = world.processed.get(&id).or(earlier);
            claims.push(match known {
                Some(row) if row.digest == message.digest => Claim::Duplicate,
                Some(_) => Claim::Conflict,
                None => {
                    open.position += 1;
                    open.writes.processed.push(Processed {
                        shard: open.shard.clone(),
                        message_id: message.message_id.clone(),
                        key: message.key.as_str().to_owned(),
                        position: open.position,
                        digest: message.digest,
                    });
                    Claim::Fresh
                }
            });
        }
        Ok(claims)
    }

    async fn apply(&mut self, messages: &[&Message]) -> Result<(), ApplyError> {
        let store = self.store.clone();
        let open = self.usable().map_err(|error| ApplyError { index: 0, error })?;
        for (index, message) in messages.iter().enumerate() {
            if store.lock().faults.handler_fails(&message.message_id) {
                open.failed = true;
                let error = StoreError::new(StoreKind::Failed, "the handler fails for this message");
                return Err(ApplyError { index, error });
            }
            open.writes.effects.push(Effect {
                shard: open.shard.clone(),
                key: message.key.as_str().to_owned(),
                message_id: message.message_id.clone(),
                sequence: message.sequence,
                body: message.body.clone(),
            });
        }
        Ok(())
    }

    async fn commit(&mut self) -> Result<Committed, StoreError> {
        if let Err(error) = self.usable() {
            self.open = None;
            return Err(error);
        }
        let store = self.store.clone();
        let mut world = store.lock();
        if take(&mut world.faults.commits_lost_before) {
            return Err(self.die());
        }
        let refused = take(&mut world.faults.commits_refused);
        let committed = match self.open.take() {
            Some(open) if !refused => world.commit(&open.shard, open.writes),
            Some(_) | None => false,
        };
        if !committed {
            return Err(StoreError::new(StoreKind::Retryable, "the transaction could not be serialized"));
        }
        if take(&mut world.faults.commits_lost_after) {
            return Err(self.die());
        }
        Ok(Committed::attest())
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.alive()?;
        self.open = None;
        Ok(())
    }
}
