//! The async face of one connection.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use rusqlite::InterruptHandle;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use super::{
    connection::{self, Open},
    handler::Handler,
    migrate,
    transaction::State,
    worker::Worker,
};
use crate::{
    domain::{
        consumer::SqlFile,
        message::{Message, ShardId},
    },
    ports::store::{ApplyError, Claim, Committed, Epoch, Session, StoreError, StoreKind},
};

/// A session: a thread with a connection.
pub(super) struct SqliteSession {
    worker: Worker<State>,
    interrupt: InterruptHandle,
    calls: Arc<AtomicU64>,
    writer: Arc<Semaphore>,
    timeout: Duration,
    /// Set while a call runs: one that was abandoned leaves it set, and the session is of no more use (T86).
    running: bool,
}

impl SqliteSession {
    /// Opens the file and prepares the handler.
    pub(super) async fn open(
        path: &Path,
        timeout: Duration,
        handler: &SqlFile,
        writer: &Arc<Semaphore>,
    ) -> Result<Self, StoreError> {
        let (path, handler) = (path.to_owned(), handler.clone());
        let worker = Worker::start(move || {
            let conn = connection::open(&path, Open::Existing, timeout)?;
            migrate::check_version(&conn)?;
            let handler = Handler::prepare(&conn, &handler)?;
            Ok(State { conn, handler, open: None })
        })
        .await?;
        let (interrupt, calls) = worker
            .call(|state: &mut State| Ok((state.conn.get_interrupt_handle(), state.handler.calls.clone())))
            .await?;
        Ok(Self { worker, interrupt, calls, writer: writer.clone(), timeout, running: false })
    }

    fn enter(&mut self) -> Result<(), StoreError> {
        if self.running {
            return Err(StoreError::new(StoreKind::Unreachable, "an earlier call was abandoned"));
        }
        self.running = true;
        Ok(())
    }

    /// This process's turn to write.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let busy = || {
            let text = format!("waited {:?} for another shard's transaction", self.timeout);
            StoreError::new(StoreKind::Retryable, text)
        };
        let turn = time::timeout(self.timeout, self.writer.clone().acquire_owned()).await;
        turn.map_err(|_| busy())?.map_err(|_| busy())
    }

    async fn acquire_epoch(&self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        let permit = self.turn().await?;
        let (shard, owner) = (shard.clone(), owner.to_owned());
        let call = move |state: &mut State| {
            let epoch = state.acquire(&shard, &owner);
            drop(permit);
            epoch
        };
        self.worker.call(call).await
    }

    async fn run_handler(&self, messages: Vec<Message>) -> Result<Result<(), ApplyError>, StoreError> {
        let mut seen = self.calls.load(Ordering::Relaxed);
        let overdue = || {
            let calls = self.calls.load(Ordering::Relaxed);
            if calls == seen {
                self.interrupt.interrupt();
            }
            seen = calls;
        };
        self.worker.watched(move |state| state.apply(&messages), self.timeout, overdue).await
    }
}

#[async_trait]
impl Session for SqliteSession {
    async fn acquire(&mut self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        self.enter()?;
        let epoch = self.acquire_epoch(shard, owner).await;
        self.running = false;
        epoch
    }

    async fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Result<(), StoreError> {
        self.enter()?;
        let begun = match self.turn().await {
            Ok(permit) => {
                let shard = shard.clone();
                self.worker.call(move |state| state.begin(shard, epoch, permit)).await
            }
            Err(error) => Err(error),
        };
        self.running = false;
        begun
    }

    async fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError> {
        self.enter()?;
        let messages = messages.to_vec();
        let claims = self.worker.call(move |state| state.claim(&messages)).await;
        self.running = false;
        claims
    }

    async fn apply(&mut self, messages: &[&Message]) -> Result<(), ApplyError> {
        self.enter().map_err(|error| ApplyError { index: 0, error })?;
        let messages = messages.iter().map(|message| (*message).clone()).collect();
        let applied = self.run_handler(messages).await;
        self.running = false;
        applied.map_err(|error| ApplyError { index: 0, error })?
    }

    async fn commit(&mut self) -> Result<Committed, StoreError> {
        self.enter()?;
        let committed = self.worker.call(State::commit).await;
        self.running = false;
        committed
    }

    async fn rollback(&mut self) -> Result<(), StoreError> {
        self.enter()?;
        let rolled_back = self.worker.call(State::rollback).await;
        self.running = false;
        rolled_back
    }
}
