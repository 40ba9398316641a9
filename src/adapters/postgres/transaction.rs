//! One transaction at a time: the fence, claims and effects, and a proven end.

use std::time::Duration;

use futures_util::future;
use tokio::time;
use tokio_postgres::{Error, Statement};

use super::{
    claim::Claimer,
    connect::Connection,
    error::store_error,
    handler::{Handler, silent},
    schema::Schema,
    tables,
};
use crate::{
    domain::{
        consumer::SqlFile,
        message::{Message, ShardId},
    },
    ports::store::{ApplyError, Claim, Committed, Epoch, StoreError, StoreKind},
};

/// How much longer than a statement's limit an answer is awaited before the server counts as gone.
const GRACE: Duration = Duration::from_secs(30);

/// READ COMMITTED whatever the role's default: elsewhere "0 rows inserted" does not mean "done" (T113).
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The connection, what is prepared on it, and its transaction.
pub(super) struct State {
    pub(super) connection: Connection,
    take: Statement,
    fence: Statement,
    claimer: Claimer,
    handler: Handler,
    limit: Duration,
    open: Option<Open>,
}

/// An open transaction.
struct Open {
    shard: ShardId,
    position: i64,
    /// A call failed on this side; failures on the server's side are found by the probe of [`State::commit`].
    failed: bool,
}

impl State {
    /// Checks the tables and prepares every statement.
    pub(super) async fn open(
        connection: Connection,
        schema: &Schema,
        handler: &SqlFile,
        statement_timeout: Duration,
    ) -> Result<Self, StoreError> {
        let limit = statement_timeout + GRACE;
        let prepared = Self::prepare(connection, schema, handler, limit);
        time::timeout(limit, prepared).await.unwrap_or_else(|_| Err(silent(limit)))
    }

    async fn prepare(
        connection: Connection,
        schema: &Schema,
        handler: &SqlFile,
        limit: Duration,
    ) -> Result<Self, StoreError> {
        let client = &connection.client;
        tables::check_version(client, schema).await?;
        let own = async {
            let take = client.prepare(&schema.sql(include_str!("queries/acquire.sql"))).await?;
            let fence = client.prepare(&schema.sql(include_str!("queries/begin.sql"))).await?;
            Ok((take, fence, Claimer::prepare(client, schema).await?))
        };
        let (take, fence, claimer) =
            own.await.map_err(|e: Error| store_error("can't prepare the store's statements", e))?;
        let handler = Handler::prepare(client, handler).await?;
        Ok(Self { connection, take, fence, claimer, handler, limit, open: None })
    }

    /// Whether a transaction is open.
    pub(super) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Waits for an answer; a server that gives none is given up and the connection closed.
    async fn answer<T>(
        &self,
        doing: &str,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, StoreError> {
        match time::timeout(self.limit, call).await {
            Ok(answer) => answer.map_err(|error| store_error(doing, error)),
            Err(_) => {
                self.connection.abort();
                Err(silent(self.limit))
            }
        }
    }

    /// The next epoch of the shard. The statement is a transaction of its own, and waits for the row.
    pub(super) async fn acquire(&self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError> {
        if self.open.is_some() {
            return Err(misused("a shard can't be acquired inside a transaction"));
        }
        let (generation, number) = (shard.generation.cast_signed(), shard.shard.cast_signed());
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&shard.consumer, &generation, &number, &owner];
        let call = self.connection.client.query_opt(&self.take, &values);
        let row = self.answer("can't take the shard's next epoch", call).await?;
        row.map(|row| Epoch(row.get::<_, i64>(0).unsigned_abs()))
            .ok_or_else(|| StoreError::new(StoreKind::Fenced, "the shard is sealed"))
    }

    /// Begins, and locks the shard's row if the epoch is the current one.
    pub(super) async fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Result<(), StoreError> {
        if self.open.is_some() {
            return Err(misused("a transaction is already open"));
        }
        let client = &self.connection.client;
        let (generation, number) = (shard.generation.cast_signed(), shard.shard.cast_signed());
        let epoch = i64::try_from(epoch.0).unwrap_or(i64::MAX);
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&shard.consumer, &generation, &number, &epoch];
        // One flight, in this order.
        let both = async {
            let (begun, row) =
                future::join(client.batch_execute(BEGIN), client.query_opt(&self.fence, &values)).await;
            begun.and(row)
        };
        match self.answer("can't begin", both).await {
            Ok(Some(row)) => {
                self.open = Some(Open { shard: shard.clone(), position: row.get(0), failed: false });
                Ok(())
            }
            Ok(None) => {
                self.rollback().await?;
                Err(StoreError::new(StoreKind::Fenced, "the shard has a newer epoch or is sealed"))
            }
            Err(error) => {
                // The first error counts; on a dead connection there is nothing to end.
                drop(self.rollback().await);
                Err(error)
            }
        }
    }

    /// Rolls back.
    pub(super) async fn rollback(&mut self) -> Result<(), StoreError> {
        self.open = None;
        self.answer("can't roll back", self.connection.client.batch_execute("ROLLBACK")).await
    }

    /// Claims in order.
    pub(super) async fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError> {
        let open = self.open.as_mut().ok_or_else(no_transaction)?;
        let client = &self.connection.client;
        let claims = self.claimer.claim(client, &open.shard, &mut open.position, messages);
        let claims = time::timeout(self.limit, claims).await.unwrap_or_else(|_| {
            self.connection.abort();
            Err(silent(self.limit))
        });
        open.failed |= claims.is_err();
        claims
    }

    /// Runs the handler.
    pub(super) async fn apply(&mut self, messages: &[&Message]) -> Result<(), ApplyError> {
        let open = self.open.as_mut().ok_or_else(|| ApplyError { index: 0, error: no_transaction() })?;
        let client = &self.connection.client;
        let applied = self.handler.run(client, messages, open.shard.shard, self.limit).await;
        if let Err(failure) = &applied {
            // Bad values never reach the server, so only this side knows.
            open.failed |= failure.error.source.is_some();
            if failure.error.kind == StoreKind::Unreachable {
                self.connection.abort();
            }
        }
        applied
    }

    /// Commits; whatever fails, the transaction is over afterwards, or the connection is.
    pub(super) async fn commit(&mut self) -> Result<Committed, StoreError> {
        let open = self.open.take().ok_or_else(no_transaction)?;
        if open.failed {
            self.rollback().await?;
            return Err(misused("a call of this transaction failed; it was rolled back"));
        }
        let client = &self.connection.client;
        let warnings = self.connection.warnings();
        // A COMMIT of an aborted transaction is answered like any other (T111). The probe before it in the
        // same flight is the proof: nothing lies between the two.
        let both = async {
            let probe = client.batch_execute(include_str!("queries/commit_probe.sql"));
            let (probe, commit) = future::join(probe, client.batch_execute("COMMIT")).await;
            probe.and(commit)
        };
        self.answer("can't commit", both).await?;
        if self.connection.warnings() != warnings {
            self.connection.abort();
            return Err(StoreError::new(
                StoreKind::Unreachable,
                "the commit came with a warning: it may not have reached the standby",
            ));
        }
        Ok(Committed::attest())
    }
}

fn misused(text: &str) -> StoreError {
    StoreError::new(StoreKind::Failed, text)
}

fn no_transaction() -> StoreError {
    misused("no transaction is open")
}
