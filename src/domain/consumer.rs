//! One consumer: its handler, batch, retry and retention, with every default filled in.
//!
//! Made by `spec` from consumers/NAME/consumer.yaml. Does not run anything.

use std::{path::PathBuf, time::Duration};

use xxhash_rust::xxh3::xxh3_128;

use super::{key::Pointer, name::Name, retry::RetryPolicy, secret::Secret, topology::StoreTarget};

/// A consumer group of the topology: it gets every message once.
#[derive(Debug, Clone)]
pub struct Consumer {
    /// Its name, part of queue names and of the dedup key.
    pub name: Name,
    /// Its own store, when it overrides the topology's.
    pub store: Option<StoreTarget>,
    /// What is done with a message; `None` when the folder holds no consumer.yaml and no handler.sql.
    pub handler: Option<Handler>,
    /// Once per message or once per batch.
    pub mode: Mode,
    /// Size of one transaction.
    pub batch: Batch,
    /// Unacked deliveries per shard.
    pub prefetch: u16,
    /// What makes a message a duplicate.
    pub dedup: Dedup,
    /// In-place retry of a failing message.
    pub retry: RetryPolicy,
    /// What happens when the retries are used up.
    pub on_failure: OnFailure,
    /// Deadline of one handler call.
    pub timeout: Duration,
    /// How long processed ids are kept.
    pub retention: Duration,
    /// The consumer's own tables: `schema.sql`, run again by every apply that needs it.
    pub schema: Option<SqlFile>,
}

impl Consumer {
    /// Whether something of it runs here. With neither handler nor schema nor a store of its own it is somebody
    /// else's program: its queues are looked after, and no store is needed for it.
    #[must_use]
    pub const fn runs_here(&self) -> bool {
        self.handler.is_some() || self.schema.is_some() || self.store.is_some()
    }
}

/// A file of SQL with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl SqlFile {
    /// 32 hex digits that change with the text: tells whether a script was run in this form.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.text.as_bytes()))
    }
}

/// The kinds of handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// Statements inside the claim's transaction.
    Sql(SqlFile),
    /// A long-lived child process.
    Exec {
        /// Program and arguments; an argument may hold a password.
        argv: Vec<Secret>,
        /// When the id is recorded.
        claim: Claim,
    },
    /// POST to a URL.
    Http {
        /// The URL; it may hold a password.
        url: Secret,
        /// When the id is recorded.
        claim: Claim,
    },
    /// A handler registered by name through the library.
    Rust(String),
}

/// When the id of a message is recorded for a handler whose effects lie outside the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// After the call: a crash may repeat the effect, never lose it.
    After,
    /// Before the call: a crash may lose the effect, never repeat it.
    Before,
}

/// How often the handler is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Once per message.
    Each,
    /// Once per batch with `:messages`.
    Batch,
}

/// One transaction and one multiple-ack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Most messages.
    pub max_messages: u32,
    /// Most body bytes.
    pub max_bytes: u64,
    /// How long to wait for more.
    pub linger: Linger,
}

/// Waiting for more messages before a transaction starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linger {
    /// No wait when idle, up to 5 ms while more keeps coming.
    Auto,
    /// At most this long after the first message.
    For(Duration),
}

/// The dedup key of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dedup {
    /// The producer's message id.
    MessageId,
    /// A business key made of these pointers.
    Fields(Vec<Pointer>),
    /// The per-key sequence number.
    Sequence,
}

/// What happens to a message whose retries are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// The key and its followers are set aside, in order.
    Park,
    /// The shard waits, said loudly.
    Block,
    /// The message goes to the dead-letter queue; order of that key is given up.
    DeadLetter,
}
