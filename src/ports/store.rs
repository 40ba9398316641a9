//! The consumer's database: ownership, claims, effects and commits, on any engine.
//!
//! One suite, `tests/conformance`, says what every adapter must do. Invariants: effect-once,
//! one-owner, ack-after-commit.

use std::{error::Error as StdError, fmt};

use async_trait::async_trait;

use crate::domain::{
    consumer::SqlFile,
    message::{Message, ShardId},
    rule::ShardRule,
};

/// What kind of failure it is, classified by SQLSTATE or SQLite code, never by text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// The server can't be reached, or the connection ended. What was committing is unknown.
    Unreachable,
    /// Login refused, or no such database.
    Refused,
    /// Serialization failure, deadlock, lock or statement timeout, busy: run the transaction again (T115).
    Retryable,
    /// The shard has a newer epoch, or is sealed: this owner must stop.
    Fenced,
    /// topo's tables do not exist.
    SchemaMissing,
    /// topo's tables are of a newer version.
    SchemaNewer,
    /// The handler's SQL can't be prepared.
    Handler,
    /// Anything else.
    Failed,
}

/// A failed store operation.
#[derive(Debug, thiserror::Error)]
pub struct StoreError {
    /// What the caller can do.
    pub kind: StoreKind,
    /// What was being done; no secrets, no message bodies.
    pub text: String,
    /// The driver's error.
    #[source]
    pub source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StoreError {
    /// A failure without a deeper cause.
    #[must_use]
    pub fn new(kind: StoreKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), source: None }
    }

    /// A failure caused by `source`.
    #[must_use]
    pub fn because(
        kind: StoreKind,
        text: impl Into<String>,
        source: impl Into<Box<dyn StdError + Send + Sync>>,
    ) -> Self {
        Self { kind, text: text.into(), source: Some(source.into()) }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The handler failed on one message of a batch; the transaction must be rolled back.
#[derive(Debug)]
pub struct ApplyError {
    /// Index into the messages given to [`Session::apply`].
    pub index: usize,
    /// The failure. `Failed` or `Handler`: this message's own fault; other kinds: the store's.
    pub error: StoreError,
}

/// The number that tells the current owner of a shard from earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub u64);

/// Answer of the claim for one message, in the order given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// First seen; its row is written in this transaction.
    Fresh,
    /// Processed before, or earlier in this very batch.
    Duplicate,
    /// Its id was processed with another key or body (T97).
    Conflict,
}

/// Proof of a commit; an ack demands it (ack-after-commit).
#[derive(Debug)]
pub struct Committed {
    _private: (),
}

impl Committed {
    /// Attests a commit that the database confirmed. For store adapters only: whoever calls it without a
    /// verified commit loses messages.
    #[must_use]
    pub const fn attest() -> Self {
        Self { _private: () }
    }
}

/// One row of `shard_owners`, for display.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardState {
    /// The shard.
    pub shard: u32,
    /// Current epoch; 0 when nobody has ever owned it.
    pub epoch: u64,
    /// Who took that epoch.
    pub owner: Option<String>,
    /// Number of effects applied in this generation.
    pub position: u64,
    /// Last commit, milliseconds since the Unix epoch.
    pub last_processed_at_ms: Option<i64>,
    /// Delivery stopped by an operator.
    pub paused: bool,
    /// Parked keys of this shard.
    pub parked_keys: u64,
    /// Parked messages of this shard.
    pub parked_messages: u64,
}

/// What stands in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedStore {
    /// Version of topo's tables; `None`: none yet.
    pub version: Option<u32>,
    /// The version this program makes.
    pub wanted: u32,
}

/// A database that holds a consumer's tables.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads the schema version.
    async fn observe(&self) -> Result<ObservedStore, StoreError>;

    /// Creates or upgrades topo's tables under a lock. Twice: nothing.
    async fn migrate(&self) -> Result<(), StoreError>;

    /// Runs the `schema.sql` of `consumer` in one transaction and records [`SqlFile::digest`] in it.
    ///
    /// # Errors
    /// `Handler` when the script is at fault.
    async fn run_schema(&self, consumer: &str, script: &SqlFile) -> Result<(), StoreError>;

    /// The [`SqlFile::digest`] under which `schema.sql` of `consumer` was last run; `None` when it never was.
    async fn schema_digest(&self, consumer: &str) -> Result<Option<String>, StoreError>;

    /// The shard rule recorded for a generation of `topology`; `None` when there is none.
    async fn shard_rule(&self, topology: &str, generation: u32) -> Result<Option<ShardRule>, StoreError>;

    /// Records the shard rule of a generation. Twice: the first one stays.
    async fn record_shard_rule(
        &self,
        topology: &str,
        generation: u32,
        rule: &ShardRule,
    ) -> Result<(), StoreError>;

    /// Opens a session of its own connection and prepares `handler` on it.
    ///
    /// # Errors
    /// Also `SchemaMissing`, `SchemaNewer` and `Handler`.
    async fn session(&self, handler: &SqlFile) -> Result<Box<dyn Session>, StoreError>;

    /// The shards of `consumer` in `generation` that were ever owned or have parked messages.
    async fn shards(&self, consumer: &str, generation: u32) -> Result<Vec<ShardState>, StoreError>;
}

/// One connection of one shard's worker; at most one transaction at a time.
///
/// Every method must be run to its end: an abandoned future leaves the transaction's outcome unknown, and
/// then the session must be dropped (T86). Dropping a session rolls its transaction back.
#[async_trait]
pub trait Session: Send + Sync {
    /// Takes the next epoch of the shard, in a transaction of its own that waits for a running one of the
    /// old owner.
    async fn acquire(&mut self, shard: &ShardId, owner: &str) -> Result<Epoch, StoreError>;

    /// Begins a transaction that holds the shard's row lock. `Fenced` when `epoch` is not the current one.
    async fn begin(&mut self, shard: &ShardId, epoch: Epoch) -> Result<(), StoreError>;

    /// Claims messages in order; one answer each, awaited before any effect (T128). Of one id given twice
    /// only the first is fresh. `Fresh` ones get the shard's next positions, without gaps.
    async fn claim(&mut self, messages: &[Message]) -> Result<Vec<Claim>, StoreError>;

    /// Runs the handler for `messages` in order, inside the transaction.
    async fn apply(&mut self, messages: &[&Message]) -> Result<(), ApplyError>;

    /// Commits, and proves that the server did not roll back instead (T111).
    ///
    /// After an error: unknown; do not ack, run the whole transaction again (T116).
    async fn commit(&mut self) -> Result<Committed, StoreError>;

    /// Rolls back; without a transaction nothing.
    async fn rollback(&mut self) -> Result<(), StoreError>;
}
