//! The state of a topology.

use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;

use super::{
    count,
    style::{BAD, CARE, GOOD, STRONG, paint},
};
use crate::domain::status::{ShardStatus, StatusReport};

/// The status as text: one row per shard, then what is wrong. `now_ms` is the time of the look,
/// milliseconds since the Unix epoch.
#[must_use]
pub fn text(report: &StatusReport, now_ms: i64) -> String {
    let verdict = if report.healthy() { paint(GOOD, "healthy") } else { paint(BAD, "unhealthy") };
    let name = paint(STRONG, &report.topology);
    let mut out = format!("{name} generation {}  {verdict}\n\n", report.generation);
    let header =
        ["consumer", "shard", "ready", "unacked", "consumers", "epoch", "parked", "last commit", "owner"];
    out.push_str(&super::table(&header, report.shards.iter().map(|shard| row(shard, now_ms))));
    let ready: u64 = report.shards.iter().map(|shard| shard.ready).sum();
    out.push_str(&format!("\n{} ready in {} queues\n", count(ready), report.shards.len()));
    for problem in &report.problems {
        out.push_str(&format!("{} {}\n", paint(BAD, format!("{}:", problem.code)), problem.text));
    }
    for sentence in &report.unchecked {
        out.push_str(&format!("{} {sentence}\n", paint(CARE, "?")));
    }
    out
}

fn row(shard: &ShardStatus, now_ms: i64) -> Vec<String> {
    let dash = || "-".to_owned();
    let number = |number: u64| if shard.exists { count(number) } else { dash() };
    vec![
        shard.consumer.clone(),
        shard.shard.to_string(),
        number(shard.ready),
        shard.unacked.map_or_else(dash, number),
        number(shard.consumers),
        shard.epoch.to_string(),
        count(shard.parked_messages),
        shard.last_processed_at_ms.map_or_else(dash, |at| ago(now_ms.saturating_sub(at))),
        shard.owner.clone().unwrap_or_else(dash),
    ]
}

/// A rough age; clocks of two machines may disagree, so the future is now.
fn ago(ms: i64) -> String {
    let seconds = u64::try_from(ms / 1000).unwrap_or(0);
    match seconds {
        0..60 => format!("{seconds}s ago"),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86400),
    }
}

#[derive(Serialize)]
struct Json<'a> {
    topology: &'a str,
    generation: u32,
    healthy: bool,
    shards: Vec<ShardJson<'a>>,
    problems: Vec<ProblemJson<'a>>,
    unchecked: &'a [String],
}

#[derive(Serialize)]
struct ShardJson<'a> {
    consumer: &'a str,
    shard: u32,
    queue: &'a str,
    exists: bool,
    ready: u64,
    unacked: Option<u64>,
    consumers: u64,
    owner: Option<&'a str>,
    epoch: u64,
    paused: bool,
    parked_keys: u64,
    parked_messages: u64,
    oldest_age_seconds: Option<u64>,
    last_processed_at: Option<String>,
}

#[derive(Serialize)]
struct ProblemJson<'a> {
    code: String,
    text: &'a str,
}

/// The status as JSON.
#[must_use]
pub fn json(report: &StatusReport) -> String {
    super::json(&Json {
        topology: &report.topology,
        generation: report.generation,
        healthy: report.healthy(),
        shards: report.shards.iter().map(shard_json).collect(),
        problems: report
            .problems
            .iter()
            .map(|problem| ProblemJson { code: problem.code.to_string(), text: &problem.text })
            .collect(),
        unchecked: &report.unchecked,
    })
}

fn shard_json(shard: &ShardStatus) -> ShardJson<'_> {
    let at = |ms: i64| {
        let since = Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        humantime::format_rfc3339_millis(UNIX_EPOCH + since).to_string()
    };
    ShardJson {
        consumer: &shard.consumer,
        shard: shard.shard,
        queue: &shard.queue,
        exists: shard.exists,
        ready: shard.ready,
        unacked: shard.unacked,
        consumers: shard.consumers,
        owner: shard.owner.as_deref(),
        epoch: shard.epoch,
        paused: shard.paused,
        parked_keys: shard.parked_keys,
        parked_messages: shard.parked_messages,
        oldest_age_seconds: shard.oldest_age_seconds,
        last_processed_at: shard.last_processed_at_ms.map(at),
    }
}
