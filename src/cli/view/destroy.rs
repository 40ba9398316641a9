//! What `destroy` deletes, what stays, and what is still in the queues.

use serde::Serialize;

use super::{
    count, plan,
    style::{FAINT, paint},
};
use crate::domain::teardown::{QueueCount, Teardown};

/// The counts of queues that hold messages or have consumers, then the plan, then what stays.
#[must_use]
pub fn text(title: &str, down: &Teardown) -> String {
    let mut out = counts(&down.counts);
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&plan::text(title, &down.plan));
    for sentence in &down.kept {
        out.push_str(&format!("  {} {sentence}\n", paint(FAINT, "stays:")));
    }
    out
}

/// One row per queue that holds messages or has consumers; empty when none does.
#[must_use]
pub fn counts(counts: &[QueueCount]) -> String {
    let used: Vec<_> =
        counts.iter().filter(|count| count.messages() > 0 || count.stats.consumers > 0).collect();
    if used.is_empty() {
        return String::new();
    }
    super::table(&["queue", "ready", "unacked", "consumers"], used.into_iter().map(row))
}

fn row(queue: &QueueCount) -> Vec<String> {
    let unacked = queue.stats.unacked.map_or_else(|| "-".to_owned(), count);
    vec![queue.queue.clone(), count(queue.stats.ready), unacked, count(queue.stats.consumers)]
}

#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    plan: plan::json::PlanJson<'a>,
    queues: Vec<QueueJson<'a>>,
    kept: &'a [String],
}

#[derive(Serialize)]
struct QueueJson<'a> {
    queue: &'a str,
    ready: u64,
    unacked: Option<u64>,
    consumers: u64,
}

/// The document of a plan, with the counts of every queue and what stays; `applied` is the number of steps
/// done.
#[must_use]
pub fn json(down: &Teardown, applied: Option<usize>) -> String {
    super::json(&Json {
        plan: plan::json::document(&down.plan, applied),
        queues: down
            .counts
            .iter()
            .map(|QueueCount { queue, stats }| QueueJson {
                queue,
                ready: stats.ready,
                unacked: stats.unacked,
                consumers: stats.consumers,
            })
            .collect(),
        kept: &down.kept,
    })
}
