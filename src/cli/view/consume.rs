//! The result of `consume`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{
    count,
    style::{BAD, FAINT, STRONG, paint},
};
use crate::domain::report::{ConsumeCounts, ConsumeReport};

/// The report as text: sums, a table of the shards, and the shards that are blocked.
#[must_use]
pub fn text(report: &ConsumeReport) -> String {
    let mut out = String::new();
    let total = &report.total;
    let main =
        [("received", total.received), ("committed", total.committed), ("duplicates", total.duplicates)];
    let rare = [
        ("parked", total.parked),
        ("conflicts", total.conflicts),
        ("misrouted", total.misrouted),
        ("retried", total.retried),
        ("redelivered", total.redelivered),
        ("reconnects", total.reconnects),
    ];
    for (name, number) in main.into_iter().chain(rare.into_iter().filter(|(_, number)| *number > 0)) {
        let number = format!("{:>12}", count(number));
        let bad = matches!(name, "parked" | "conflicts" | "misrouted");
        let number = if bad { paint(BAD, number) } else { number };
        out.push_str(&format!("{name:<12}{number}\n"));
    }
    let per_transaction = (total.received + total.transactions / 2)
        .checked_div(total.transactions)
        .map_or_else(String::new, |each| format!(", {each} messages each"));
    out.push_str(&paint(
        FAINT,
        format!(
            "{:.1} s, {} transactions{per_transaction}",
            report.elapsed.as_secs_f64(),
            count(total.transactions)
        ),
    ));
    out.push('\n');
    if report.per_shard.len() > 1 && total.received > 0 {
        out.push('\n');
        let rows = report.per_shard.iter().map(|(shard, counts)| {
            vec![
                shard.to_string(),
                count(counts.received),
                count(counts.committed),
                count(counts.duplicates),
                count(counts.transactions),
            ]
        });
        out.push_str(&super::table(&["shard", "received", "committed", "duplicates", "transactions"], rows));
    }
    for (shard, reason) in &report.blocked {
        out.push_str(&format!("{} {reason}\n", paint(STRONG, format!("shard {shard} is blocked:"))));
    }
    out
}

#[derive(Serialize)]
struct CountsJson {
    received: u64,
    committed: u64,
    duplicates: u64,
    parked: u64,
    retried: u64,
    redelivered: u64,
    conflicts: u64,
    misrouted: u64,
    transactions: u64,
    reconnects: u64,
}

impl From<&ConsumeCounts> for CountsJson {
    fn from(counts: &ConsumeCounts) -> Self {
        Self {
            received: counts.received,
            committed: counts.committed,
            duplicates: counts.duplicates,
            parked: counts.parked,
            retried: counts.retried,
            redelivered: counts.redelivered,
            conflicts: counts.conflicts,
            misrouted: counts.misrouted,
            transactions: counts.transactions,
            reconnects: counts.reconnects,
        }
    }
}

/// The report as JSON.
#[must_use]
pub fn json(report: &ConsumeReport) -> String {
    #[derive(Serialize)]
    struct Json<'a> {
        #[serde(flatten)]
        total: CountsJson,
        per_shard: BTreeMap<u32, CountsJson>,
        blocked: &'a BTreeMap<u32, String>,
        seconds: f64,
    }
    super::json(&Json {
        total: CountsJson::from(&report.total),
        per_shard: report.per_shard.iter().map(|(shard, counts)| (*shard, counts.into())).collect(),
        blocked: &report.blocked,
        seconds: super::seconds(report.elapsed),
    })
}
