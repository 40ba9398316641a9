//! The state of a running topology, and what is wrong with it.
//!
//! Owns the judgement; the numbers are brought by the flow. Lists are by consumer and shard.

use super::code::Code;

/// Result of `status`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusReport {
    /// The topology's name.
    pub topology: String,
    /// Its generation.
    pub generation: u32,
    /// Every shard of every consumer.
    pub shards: Vec<ShardStatus>,
    /// What is wrong; empty when healthy.
    pub problems: Vec<Problem>,
    /// What could not be seen, as sentences; no fault of the topology.
    pub unchecked: Vec<String>,
}

impl StatusReport {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn healthy(&self) -> bool {
        self.problems.is_empty()
    }
}

/// One shard of one consumer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardStatus {
    /// The consumer.
    pub consumer: String,
    /// The shard.
    pub shard: u32,
    /// Its queue.
    pub queue: String,
    /// Whether the queue exists.
    pub exists: bool,
    /// Messages waiting.
    pub ready: u64,
    /// Delivered and not acknowledged; `None`: can't be seen. Lags by a few seconds.
    pub unacked: Option<u64>,
    /// Subscribed consumers; through AMQP alone a quorum queue counts the active one only.
    pub consumers: u64,
    /// Who took the current epoch.
    pub owner: Option<String>,
    /// Current epoch; 0: nobody has ever owned it.
    pub epoch: u64,
    /// Delivery stopped by an operator.
    pub paused: bool,
    /// Parked keys.
    pub parked_keys: u64,
    /// Parked messages.
    pub parked_messages: u64,
    /// Age of the oldest message, seconds; `None`: can't be seen.
    pub oldest_age_seconds: Option<u64>,
    /// Last commit, milliseconds since the Unix epoch.
    pub last_processed_at_ms: Option<i64>,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its code.
    pub code: Code,
    /// What it is, with names.
    pub text: String,
}

/// What the queues of a topology say is wrong: one problem per kind and consumer, however many shards.
#[must_use]
pub fn queue_problems(shards: &[ShardStatus]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for group in shards.chunk_by(|a, b| a.consumer == b.consumer) {
        let missing: Vec<_> = group.iter().filter(|shard| !shard.exists).collect();
        if !missing.is_empty() {
            let verb = if missing.len() == 1 { "does" } else { "do" };
            let text = format!("{} {verb} not exist", listed(&missing, group.len()));
            problems.push(Problem { code: Code::QueueMissing, text });
        }
        let idle: Vec<_> =
            group.iter().filter(|s| s.exists && s.ready > 0 && s.consumers == 0 && !s.paused).collect();
        if !idle.is_empty() {
            let ready: u64 = idle.iter().map(|shard| shard.ready).sum();
            let text = format!("{ready} messages wait without a consumer: {}", listed(&idle, group.len()));
            problems.push(Problem { code: Code::NoConsumer, text });
        }
    }
    problems
}

/// What a dead-letter queue says is wrong.
#[must_use]
pub fn dead_letter_problem(queue: &str, ready: Option<u64>) -> Option<Problem> {
    match ready {
        Some(0) => None,
        Some(ready) => {
            let text = format!("{ready} messages in {queue}");
            Some(Problem { code: Code::DeadLettered, text })
        }
        None => Some(Problem {
            code: Code::QueueMissing,
            text: format!("dead-letter queue {queue} does not exist"),
        }),
    }
}

/// `queue a`, `3 of 8 queues of ledger (a, b, c)`, at most a few names.
fn listed(shards: &[&ShardStatus], of: usize) -> String {
    const NAMES: usize = 3;
    if let [shard] = shards {
        return format!("queue {}", shard.queue);
    }
    let names: Vec<_> = shards.iter().take(NAMES).map(|shard| shard.queue.as_str()).collect();
    let more = if shards.len() > NAMES { ", …" } else { "" };
    let consumer = shards.first().map_or("", |shard| shard.consumer.as_str());
    format!("{} of {of} queues of {consumer} ({}{more})", shards.len(), names.join(", "))
}
