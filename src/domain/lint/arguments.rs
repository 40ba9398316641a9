//! Queue arguments, judged one by one and together, for one version or for all.
//!
//! Owns the verdicts; what brokers know is in `super::table`, what a shard must have in
//! `super::required`. The text of a finding follows the argument's name.

use super::{
    Queue, QueueType,
    required::{self, is_short},
    row::{Answer, Meaning, Row},
    table::{MISPLACED, TABLE, is_ours},
    version_list,
};
use crate::domain::{observed::Value, version::BrokerVersion};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It works, and something else would be better.
    Advice,
    /// The broker stores it and it does nothing.
    NoEffect,
    /// It breaks a promise: order, or that nothing is lost.
    Hazard,
    /// The broker refuses the declaration.
    Refused,
}

/// What is wrong with one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The argument, which may be missing.
    pub argument: String,
    /// How bad it is.
    pub weight: Weight,
    /// What it does, read after the argument's name.
    pub text: String,
    /// The judged versions for which this holds.
    pub versions: Vec<BrokerVersion>,
}

impl Finding {
    /// The versions as `3.10 and 4.0`.
    #[must_use]
    pub fn version_list(&self) -> String {
        version_list(&self.versions)
    }
}

/// One verdict for one version.
pub(super) struct Verdict {
    pub argument: String,
    pub weight: Weight,
    pub text: String,
}

impl Verdict {
    pub(super) fn new(argument: &str, weight: Weight, text: impl Into<String>) -> Self {
        Self { argument: argument.to_owned(), weight, text: text.into() }
    }
}

/// Judges a queue's arguments, and those that it lacks, for each of `versions`.
#[must_use]
pub fn judge(queue: &Queue<'_>, versions: &[BrokerVersion]) -> Vec<Finding> {
    let mut found = Vec::new();
    for version in versions {
        let each = queue.arguments.iter().filter_map(|(name, value)| one(queue, name, value, *version));
        merge(each.chain(required::judge(queue, *version)), *version, &mut found);
    }
    found
}

/// Judges one argument that somebody wants to add to a queue of topo.
#[must_use]
pub fn judge_added(queue: &Queue<'_>, name: &str, value: &Value, versions: &[BrokerVersion]) -> Vec<Finding> {
    let mut found = Vec::new();
    for version in versions {
        let verdict = match row(name) {
            Some(row) if is_ours(row, queue.kind) && row.answer(queue.kind, *version) == Answer::Works => {
                let how = match row.meaning {
                    Meaning::Ours(how) => how,
                    Meaning::Free(_) | Meaning::Harmful(_) => "always balanced",
                };
                Some(Verdict::new(name, Weight::Refused, format!("is set by topo itself: {how}")))
            }
            _ => one(queue, name, value, *version),
        };
        merge(verdict, *version, &mut found);
    }
    found
}

fn merge(verdicts: impl IntoIterator<Item = Verdict>, version: BrokerVersion, found: &mut Vec<Finding>) {
    for Verdict { argument, weight, text } in verdicts {
        let same = |f: &&mut Finding| f.argument == argument && f.weight == weight && f.text == text;
        match found.iter_mut().find(same) {
            Some(finding) => finding.versions.push(version),
            None => found.push(Finding { argument, weight, text, versions: vec![version] }),
        }
    }
}

/// The row of an argument.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// Every row, by name.
#[must_use]
pub const fn rows() -> &'static [Row] {
    TABLE
}

fn one(queue: &Queue<'_>, name: &str, value: &Value, version: BrokerVersion) -> Option<Verdict> {
    let kind = queue.kind;
    let verdict = |weight, text: String| Some(Verdict::new(name, weight, text));
    let Some(row) = row(name) else { return verdict(Weight::NoEffect, unknown(name)) };
    match row.answer(kind, version) {
        Answer::Refused => return verdict(Weight::Refused, format!("is refused for {kind} queues")),
        Answer::Closes => {
            return verdict(Weight::Refused, "is refused, and the connection is closed with it".to_owned());
        }
        Answer::Ignored => return verdict(Weight::NoEffect, format!("does nothing on {kind} queues")),
        Answer::Works => {}
    }
    if !row.takes.fits(value) {
        return verdict(Weight::Refused, format!("takes {}", row.takes));
    }
    if name == "x-queue-version" && *value == Value::Integer(1) && version.at_least(4, 3) {
        return verdict(Weight::Refused, "takes 2 only; the old format of the store is gone".to_owned());
    }
    match row.meaning {
        Meaning::Harmful(_) if *value == Value::Text("disabled".to_owned()) => None,
        Meaning::Harmful(text) => verdict(Weight::Hazard, text.to_owned()),
        Meaning::Free(_) if is_short(name, value, kind, version) => {
            let text = "takes a message from its consumer sooner than the 30 minutes that retries count on";
            verdict(Weight::Hazard, text.to_owned())
        }
        Meaning::Free(_) if is_few(name, value) && kind == QueueType::Quorum => {
            let text = "is less than 3 replicas: one lost node stops the shard";
            verdict(Weight::Advice, text.to_owned())
        }
        Meaning::Free(_) | Meaning::Ours(_) => None,
    }
}

fn unknown(name: &str) -> String {
    match MISPLACED.iter().find(|(misplaced, _)| *misplaced == name) {
        Some((_, place)) => format!("does nothing on a queue: {place}"),
        None => "is known to no version; brokers store it and it does nothing".to_owned(),
    }
}

/// Whether it is a name that belongs on something else than a queue.
#[must_use]
pub fn is_misplaced(name: &str) -> bool {
    MISPLACED.iter().any(|(misplaced, _)| *misplaced == name)
}

fn is_few(name: &str, value: &Value) -> bool {
    let replicas = matches!(name, "x-quorum-initial-group-size" | "x-quorum-target-group-size");
    replicas && matches!(value, Value::Integer(number) if *number < 3)
}
