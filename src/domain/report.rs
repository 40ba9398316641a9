//! What a run did, as plain numbers: filled by the flows, rendered by the views.

use std::{collections::BTreeMap, time::Duration};

/// Result of `publish`. `read = confirmed + invalid + failed + skipped`, always (confirm-or-report).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishReport {
    /// Input lines taken.
    pub read: u64,
    /// Lines whose message the broker took responsibility for.
    pub confirmed: u64,
    /// Lines that are no valid message; nothing was sent.
    pub invalid: u64,
    /// Lines given up after `give_up_after`, or in doubt when the run ended.
    pub failed: u64,
    /// Followers of a failed line of the same key; not sent.
    pub skipped: u64,
    /// Sends beyond the first, for any reason.
    pub retried: u64,
    /// `basic.return` answers.
    pub returned: u64,
    /// `basic.nack` answers.
    pub nacked: u64,
    /// Connections opened after the first.
    pub reconnects: u64,
    /// Confirmed messages per shard.
    pub per_shard: Vec<u64>,
    /// Keys that gave up.
    pub failed_keys: Vec<String>,
    /// The first invalid and failed lines with their reasons.
    pub problems: Vec<LineProblem>,
    /// Duration of the run.
    pub elapsed: Duration,
}

/// One input line that was not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineProblem {
    /// File name, or `-` for standard input.
    pub source: String,
    /// Line number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub text: String,
}

/// Counters of `consume`, for one shard or in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsumeCounts {
    /// Deliveries taken.
    pub received: u64,
    /// Messages whose effect was committed by this process.
    pub committed: u64,
    /// Messages skipped because their id was processed before.
    pub duplicates: u64,
    /// Messages set aside.
    pub parked: u64,
    /// Handler attempts beyond the first.
    pub retried: u64,
    /// Deliveries with the broker's redelivered flag.
    pub redelivered: u64,
    /// Known ids with another body.
    pub conflicts: u64,
    /// Messages whose key belongs to another shard.
    pub misrouted: u64,
    /// Committed transactions.
    pub transactions: u64,
    /// Subscriptions opened after the first.
    pub reconnects: u64,
}

impl ConsumeCounts {
    /// Adds `other` to these counts.
    pub const fn add(&mut self, other: &Self) {
        self.received += other.received;
        self.committed += other.committed;
        self.duplicates += other.duplicates;
        self.parked += other.parked;
        self.retried += other.retried;
        self.redelivered += other.redelivered;
        self.conflicts += other.conflicts;
        self.misrouted += other.misrouted;
        self.transactions += other.transactions;
        self.reconnects += other.reconnects;
    }
}

/// Result of `consume`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsumeReport {
    /// Sum over the shards.
    pub total: ConsumeCounts,
    /// Counts by shard.
    pub per_shard: BTreeMap<u32, ConsumeCounts>,
    /// Shards that ended waiting for a message that can't be processed, with the reason.
    pub blocked: BTreeMap<u32, String>,
    /// Duration of the run.
    pub elapsed: Duration,
}
