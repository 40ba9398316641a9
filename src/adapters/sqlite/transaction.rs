//! What happens on the connection's thread: one transaction, its claims and effects, its end.

use rusqlite::{Connection, OptionalExtension, TransactionState, named_params};
use tokio::sync::OwnedSemaphorePermit;

use super::{
    error::{misused, store_error},
    handler::Handler,
};
use crate::{
    domain::message::{Message, ShardId},
    ports::store::{ApplyError, Claim, Committed, Epoch, StoreError, StoreKind},
};

/// The connection and its transaction.
#[derive(Debug)]
pub(super) struct State {
    // Dropped before the permit: the next writer finds the file unlocked.
    pub(super) conn: Connection,
    pub(super) handler: Handler,
    pub(super) open: Option<Open>,
}

/// An open transaction.
#[derive(Debug)]
pub(super) struct Open {
    shard: ShardId,
    position: i64,
    /// A statement failed. SQLite keeps the transaction, and a commit would keep half of the work (T111).
    failed: bool,
    _permit: OwnedSemaphorePermit,
}

impl State {
    /// The next epoch of the shard. The statement is a transaction of its own.
    pub(super) fn acquire(&self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        if self.open.is_some() {
            return Err(misused("a shard can't be acquired inside a transaction"));
        }
        let values = named_params! {
            ":consumer": shard.consumer,
            ":generation": shard.generation,
            ":shard": shard.shard,
            ":owner": owner,
        };
        let epoch: Option<i64> = self
            .conn
            .query_row(include_str!("queries/acquire.sql"), values, |row| row.get(0))
            .optional()
            .map_err(|e| store_error("can't take the shard's next epoch", &e))?;
        epoch
            .map(|epoch| Epoch(epoch.unsigned_abs()))
            .ok_or_else(|| StoreError::new(StoreKind::Fenced, "the shard is sealed"))
    }

    /// Begins, and checks the epoch under the write lock.
    pub(super) fn begin(
        &mut self,
        shard: ShardId,
        epoch: Epoch,
        permit: OwnedSemaphorePermit,
    ) -> Result<(), StoreError> {
        if self.open.is_some() {
            return Err(misused("a transaction is already open"));
        }
        // A read that turned into a write could fail at once, whatever the timeout (SQLITE_BUSY_SNAPSHOT).
        self.conn.execute_batch("BEGIN IMMEDIATE").map_err(|e| store_error("can't begin", &e))?;
        let position = self.position(&shard, epoch);
        match position {
            Ok(Some(position)) => {
                self.open = Some(Open { shard, position, failed: false, _permit: permit });
                Ok(())
            }
            Ok(None) => {
                self.end()?;
                Err(StoreError::new(StoreKind::Fenced, "the shard has a newer epoch or is sealed"))
            }
            Err(error) => {
                self.end()?;
                Err(store_error("can't read the shard's epoch", &error))
            }
        }
    }

    fn position(&self, shard: &ShardId, epoch: Epoch) -> rusqlite::Result<Option<i64>> {
        let values = named_params! {
            ":consumer": shard.consumer,
            ":generation": shard.generation,
            ":shard": shard.shard,
            ":epoch": i64::try_from(epoch.0).unwrap_or(i64::MAX),
        };
        self.conn
            .prepare_cached(include_str!("queries/begin.sql"))?
            .query_row(values, |row| row.get(0))
            .optional()
    }

    /// Claims in order.
    pub(super) fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError> {
        let open = usable(&self.conn, self.open.as_mut())?;
        let claims = claim(&self.conn, open, messages);
        open.failed |= claims.is_err();
        claims.map_err(|e| store_error("can't claim messages", &e))
    }

    /// Runs the handler.
    pub(super) fn apply(&mut self, messages: &[Message]) -> Result<(), ApplyError> {
        let open = usable(&self.conn, self.open.as_mut()).map_err(|error| ApplyError { index: 0, error })?;
        let applied = self.handler.run(&self.conn, messages, open.shard.shard);
        open.failed |= applied.is_err();
        applied
    }

    /// Commits; whatever fails, the transaction is over afterwards.
    pub(super) fn commit(&mut self) -> Result<Committed, StoreError> {
        if let Err(error) = usable(&self.conn, self.open.as_mut()) {
            self.rollback()?;
            return Err(error);
        }
        let committed = self.conn.execute_batch("COMMIT");
        match committed {
            Ok(()) => {
                self.open = None;
                Ok(Committed::attest())
            }
            Err(error) => {
                self.rollback()?;
                Err(store_error("can't commit", &error))
            }
        }
    }

    /// Rolls back what is open.
    pub(super) fn rollback(&mut self) -> Result<(), StoreError> {
        self.end()?;
        self.open = None;
        Ok(())
    }

    fn end(&self) -> Result<(), StoreError> {
        if self.conn.is_autocommit() {
            return Ok(());
        }
        self.conn.execute_batch("ROLLBACK").map_err(|e| store_error("can't roll back", &e))
    }
}

/// The open transaction, when it may still be committed.
fn usable<'a>(conn: &Connection, open: Option<&'a mut Open>) -> Result<&'a mut Open, StoreError> {
    let open = open.ok_or_else(|| misused("no transaction is open"))?;
    if open.failed {
        return Err(misused("a statement of this transaction failed; it can only be rolled back"));
    }
    // Some errors make SQLite roll back by itself; what follows would be committed one by one.
    if conn.transaction_state(None::<&str>).ok() != Some(TransactionState::Write) {
        open.failed = true;
        return Err(StoreError::new(StoreKind::Retryable, "SQLite has rolled the transaction back"));
    }
    Ok(open)
}

fn claim(conn: &Connection, open: &mut Open, messages: &[Message]) -> rusqlite::Result<Vec<Claim>> {
    let first = open.position;
    let shard = &open.shard;
    let mut insert = conn.prepare_cached(include_str!("queries/claim.sql"))?;
    let mut hash = conn.prepare_cached(include_str!("queries/claim_hash.sql"))?;
    let mut claims = Vec::with_capacity(messages.len());
    for message in messages {
        let inserted = insert.execute(named_params! {
            ":consumer": shard.consumer,
            ":message_id": message.message_id,
            ":generation": shard.generation,
            ":shard": shard.shard,
            ":key": message.key.as_str(),
            ":position": open.position + 1,
            ":event_type": message.event_type,
            ":body_hash": message.digest,
            ":published_at": message.published_at_ms,
        })?;
        if inserted == 1 {
            open.position += 1;
            claims.push(Claim::Fresh);
            continue;
        }
        let values = named_params! {":consumer": shard.consumer, ":message_id": message.message_id};
        let known: [u8; 16] = hash.query_row(values, |row| row.get(0))?;
        claims.push(if known == message.digest { Claim::Duplicate } else { Claim::Conflict });
    }
    if open.position > first {
        conn.prepare_cached(include_str!("queries/claim_position.sql"))?.execute(named_params! {
            ":position": open.position,
            ":consumer": shard.consumer,
            ":generation": shard.generation,
            ":shard": shard.shard,
        })?;
    }
    Ok(claims)
}
