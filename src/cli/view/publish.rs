//! The result of `publish`.

use serde::Serialize;

use super::{
    count,
    style::{BAD, CARE, FAINT, STRONG, paint},
};
use crate::domain::report::PublishReport;

/// Failed keys named in the text form.
const KEYS_SHOWN: usize = 20;

/// The report as text: sums first, then what was not confirmed and why.
#[must_use]
pub fn text(report: &PublishReport) -> String {
    let mut out = String::new();
    let mut row = |name: &str, number: u64, bad: bool| {
        let number = count(number);
        let number = if bad { paint(BAD, format!("{number:>12}")) } else { format!("{number:>12}") };
        out.push_str(&format!("{name:<11}{number}\n"));
    };
    row("read", report.read, false);
    row("confirmed", report.confirmed, false);
    for (name, number) in
        [("invalid", report.invalid), ("failed", report.failed), ("skipped", report.skipped)]
    {
        row(name, number, number > 0);
    }
    for (name, number) in [
        ("retried", report.retried),
        ("returned", report.returned),
        ("nacked", report.nacked),
        ("reconnects", report.reconnects),
    ] {
        if number > 0 {
            row(name, number, false);
        }
    }
    let seconds = report.elapsed.as_secs_f64();
    out.push_str(&paint(FAINT, format!("{:.1} s, {} per second", seconds, rate(report.confirmed, seconds))));
    out.push('\n');
    if !report.problems.is_empty() {
        out.push('\n');
    }
    for problem in &report.problems {
        let place = format!("{}:{}:", problem.source, problem.line);
        out.push_str(&format!("{} {}\n", paint(STRONG, place), problem.text));
    }
    let named = u64::try_from(report.problems.len()).unwrap_or(u64::MAX);
    let bad = report.invalid + report.failed + report.skipped;
    if bad > named && named > 0 {
        out.push_str(&format!("… {} more\n", count(bad - named)));
    }
    if !report.failed_keys.is_empty() {
        let keys: Vec<&str> = report.failed_keys.iter().take(KEYS_SHOWN).map(String::as_str).collect();
        let more = report.failed_keys.len().saturating_sub(keys.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push_str(&format!("{} {}{more}\n", paint(CARE, "keys that gave up:"), keys.join(", ")));
    }
    out
}

/// `confirmed / seconds`, with separators.
fn rate(confirmed: u64, seconds: f64) -> String {
    let millis = std::time::Duration::try_from_secs_f64(seconds).map_or(0, |d| d.as_millis());
    let rate = u128::from(confirmed) * 1000 / millis.max(1);
    count(u64::try_from(rate).unwrap_or(u64::MAX))
}

/// The report as JSON.
#[must_use]
pub fn json(report: &PublishReport) -> String {
    #[derive(Serialize)]
    struct Json<'a> {
        read: u64,
        confirmed: u64,
        invalid: u64,
        failed: u64,
        skipped: u64,
        retried: u64,
        returned: u64,
        nacked: u64,
        reconnects: u64,
        per_shard: &'a [u64],
        failed_keys: &'a [String],
        problems: Vec<ProblemJson<'a>>,
        seconds: f64,
    }
    #[derive(Serialize)]
    struct ProblemJson<'a> {
        source: &'a str,
        line: u64,
        text: &'a str,
    }
    let problems = report
        .problems
        .iter()
        .map(|p| ProblemJson { source: &p.source, line: p.line, text: &p.text })
        .collect();
    super::json(&Json {
        read: report.read,
        confirmed: report.confirmed,
        invalid: report.invalid,
        failed: report.failed,
        skipped: report.skipped,
        retried: report.retried,
        returned: report.returned,
        nacked: report.nacked,
        reconnects: report.reconnects,
        per_shard: &report.per_shard,
        failed_keys: &report.failed_keys,
        problems,
        seconds: super::seconds(report.elapsed),
    })
}
