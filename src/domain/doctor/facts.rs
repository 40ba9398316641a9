//! What can be known about the health of a broker and a store.

use std::collections::BTreeMap;

/// A fact, or the reason why it can't be seen with what is needed to see it.
pub type Seen<T> = Result<T, String>;

/// What the management API tells about a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerFacts {
    /// Product and version of the node that was asked.
    pub version: Option<String>,
    /// Its clock, seconds since the Unix epoch, cut to whole seconds.
    pub clock_seconds: Option<i64>,
    /// Every node of the cluster.
    pub nodes: Seen<Vec<Node>>,
    /// What is short, such as `memory on rabbit@a`.
    pub alarms: Seen<Vec<String>>,
    /// Feature flags that are not enabled.
    pub disabled_flags: Seen<Vec<Flag>>,
    /// Where the topology's queues live, by name.
    pub queues: BTreeMap<String, Placement>,
    /// All queues of the vhost.
    pub queue_count: u64,
    /// The vhost's limit of queues; `None`: there is none.
    pub max_queues: Seen<Option<i64>>,
    /// The user's name and tags.
    pub user: User,
    /// The user's permissions on the vhost.
    pub permissions: Seen<Permissions>,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Name.
    pub name: String,
    /// Whether it runs.
    pub running: bool,
    /// Its version, when told; a node that was just started says nothing for a moment.
    pub version: Option<String>,
}

/// A feature flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Name.
    pub name: String,
    /// Whether the broker calls it experimental.
    pub experimental: bool,
}

/// Where a queue lives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// The node of a classic queue, or of a quorum queue's leader.
    pub leader: Option<String>,
    /// The nodes with a replica; empty for a classic queue.
    pub members: Vec<String>,
    /// Those of them that run.
    pub online: Vec<String>,
}

/// A user of the broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct User {
    /// Name.
    pub name: String,
    /// Tags.
    pub tags: Vec<String>,
}

/// Three regular expressions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Declaring and deleting.
    pub configure: String,
    /// Publishing, binding queues.
    pub write: String,
    /// Consuming, binding to exchanges.
    pub read: String,
}

/// What a store tells about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreFacts {
    /// A PostgreSQL database.
    Postgres(PostgresFacts),
    /// A file.
    Sqlite(SqliteFacts),
}

/// A PostgreSQL database, through a connection made like a consumer's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostgresFacts {
    /// Version as text.
    pub version: String,
    /// Version as a number, such as 150004.
    pub version_number: i32,
    /// Who is logged in.
    pub user: String,
    /// Commits reach the disk.
    pub fsync: bool,
    /// Pages torn by a power cut can be mended.
    pub full_page_writes: bool,
    /// What a connection starts with: from server, database or role.
    pub synchronous_commit_default: String,
    /// What topo's sessions work with.
    pub synchronous_commit: String,
    /// Standbys that a commit waits for; empty: none.
    pub synchronous_standbys: String,
    /// It is a standby.
    pub in_recovery: bool,
    /// Transactions are read-only unless they ask for more.
    pub read_only: bool,
    /// Something between here and the server hands out its connections by transaction.
    pub pooled: bool,
    /// Whether the user may create a schema in the database.
    pub may_create: bool,
    /// Whether the user may use topo's schema; `None`: it does not exist.
    pub may_use: Option<bool>,
    /// Whether the user may insert processed messages; `None`: no tables yet.
    pub may_write: Option<bool>,
    /// Sessions that do nothing are ended after this many milliseconds; 0: never.
    pub idle_session_timeout_ms: i64,
    /// Its clock, milliseconds since the Unix epoch.
    pub clock_ms: i64,
}

/// A SQLite file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SqliteFacts {
    /// Version of the library.
    pub version: String,
    /// The kind of network file system that it lies on; `None`: a local one, or not known.
    pub network: Option<String>,
    /// What the file says; `None`: it does not exist yet.
    pub file: Option<SqliteFile>,
}

/// What an existing SQLite file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteFile {
    /// Its journal.
    pub journal_mode: String,
    /// 2 and above: every commit reaches the disk.
    pub synchronous: i64,
    /// Whether it could be locked for writing; the reason why not.
    pub writable: Result<(), String>,
    /// What `quick_check` says, `ok` when well.
    pub integrity: Seen<String>,
}
