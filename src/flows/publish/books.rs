//! The report while it is being filled: every line ends in exactly one count.
//!
//! Invariant: confirm-or-report.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::Line;
use crate::domain::{
    report::{LineProblem, PublishReport},
    route::Routed,
    window::{GaveUp, Position},
};

/// Problems kept with their text; the counts go on.
const PROBLEMS_MAX: usize = 100;

/// Counts, and the places of lines that are not done yet.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) report: PublishReport,
    places: BTreeMap<Position, (Arc<str>, u64)>,
    started: Duration,
}

impl Books {
    pub(super) fn new(shards: u32, now: Duration) -> Self {
        let shards = usize::try_from(shards).unwrap_or(0);
        Self {
            report: PublishReport { per_shard: vec![0; shards], ..PublishReport::default() },
            places: BTreeMap::new(),
            started: now,
        }
    }

    /// Numbers a line in input order.
    pub(super) fn read(&mut self, line: &Line) -> Position {
        let position = self.report.read;
        self.report.read += 1;
        self.places.insert(position, (Arc::clone(&line.source), line.number));
        position
    }

    pub(super) fn invalid(&mut self, position: Position, text: String) {
        self.report.invalid += 1;
        self.problem(position, text);
    }

    pub(super) fn skipped(&mut self, position: Position) {
        self.report.skipped += 1;
        self.places.remove(&position);
    }

    pub(super) fn confirmed(&mut self, position: Position, message: &Routed) {
        self.report.confirmed += 1;
        self.places.remove(&position);
        if let Some(count) =
            usize::try_from(message.shard()).ok().and_then(|i| self.report.per_shard.get_mut(i))
        {
            *count += 1;
        }
    }

    pub(super) fn failed(&mut self, position: Position, key: &str, why: &str) {
        self.report.failed += 1;
        self.problem(position, format!("key {key:?}: {why}"));
    }

    pub(super) fn gave_up(&mut self, gave_up: &GaveUp, why: &str) {
        let key = gave_up.message.envelope().key.as_str();
        self.failed(gave_up.position, key, why);
        for follower in &gave_up.in_doubt {
            self.failed(*follower, key, "sent behind a message that was given up");
        }
        for follower in &gave_up.skipped {
            self.skipped(*follower);
        }
    }

    fn problem(&mut self, position: Position, text: String) {
        let place = self.places.remove(&position);
        if self.report.problems.len() < PROBLEMS_MAX
            && let Some((source, line)) = place
        {
            self.report.problems.push(LineProblem { source: source.to_string(), line, text });
        }
    }

    pub(super) fn finish(mut self, failed_keys: Vec<String>, now: Duration) -> PublishReport {
        self.report.failed_keys = failed_keys;
        self.report.elapsed = now.saturating_sub(self.started);
        self.report
    }
}
