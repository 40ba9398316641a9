//! The result of `check`.

use serde::Serialize;

use super::style::{BAD, CARE, FAINT, GOOD, STRONG, paint};
use crate::{
    domain::{
        code::Code,
        plan::Kind,
        topology::{Shards, Topology},
    },
    spec::Problem,
};

/// What `check` found.
#[derive(Debug, Default)]
pub struct Checked {
    /// One line on the topology; `None` when it has problems.
    pub topology: Option<String>,
    /// What makes the files unusable.
    pub problems: Vec<Problem>,
    /// What is legal and probably not meant.
    pub warnings: Vec<Problem>,
    /// The cases that were replayed.
    pub cases: Vec<CaseResult>,
    /// What an export of definitions holds against the topology; `None`: none was given.
    pub findings: Option<Vec<Finding>>,
}

/// An object of an export that differs, or endangers the topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kind of object.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Which promise it breaks.
    pub code: Code,
    /// What is wrong.
    pub text: String,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseResult {
    /// The consumer.
    pub consumer: String,
    /// The case.
    pub name: String,
    /// How many messages were replayed.
    pub messages: usize,
    /// What is wrong; `None` when it came out as expected.
    pub failure: Option<String>,
}

/// One line on a topology.
#[must_use]
pub fn summary(topology: &Topology) -> String {
    let consumers: Vec<&str> = topology.consumers.keys().map(AsRef::as_ref).collect();
    let consumers = if consumers.is_empty() { "no consumers".to_owned() } else { consumers.join(", ") };
    let queues = topology.queues.kind.as_str();
    let Shards { count, hash, key, .. } = &topology.shards;
    format!("{}: {count} shards by {hash} of {key}, {queues} queues, {consumers}", topology.name)
}

/// The result as text; problems are not part of it, they are the failure that follows.
#[must_use]
pub fn text(checked: &Checked) -> String {
    let mut out = String::new();
    if let Some(summary) = &checked.topology {
        out.push_str(&format!("{summary}\n"));
    }
    for warning in &checked.warnings {
        out.push_str(&format!("{} {warning:#}\n", paint(CARE, "warning:")));
    }
    for case in &checked.cases {
        let name = paint(STRONG, format!("{}/{}", case.consumer, case.name));
        match &case.failure {
            None => {
                let messages = paint(FAINT, format!("{} messages", case.messages));
                out.push_str(&format!("{} {name} {messages}\n", paint(GOOD, "ok")));
            }
            Some(failure) => {
                out.push_str(&format!("{} {name}\n", paint(BAD, "failed")));
                for line in failure.lines() {
                    out.push_str(&format!("  {line}\n"));
                }
            }
        }
    }
    for finding in checked.findings.iter().flatten() {
        let Finding { kind, name, code, text } = finding;
        // Names of policies say already what they are.
        let kind = if *kind == Kind::Policy.as_str() { String::new() } else { format!("{kind} ") };
        out.push_str(&format!("{} {kind}{}: {text}\n", paint(BAD, code), paint(STRONG, name)));
    }
    out
}

#[derive(Serialize)]
struct Json<'a> {
    ok: bool,
    problems: Vec<ProblemJson<'a>>,
    warnings: Vec<ProblemJson<'a>>,
    cases: Vec<CaseJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    definitions: Option<Vec<FindingJson<'a>>>,
}

#[derive(Serialize)]
struct FindingJson<'a> {
    kind: &'a str,
    name: &'a str,
    code: String,
    text: &'a str,
}

#[derive(Serialize)]
struct ProblemJson<'a> {
    file: String,
    line: u32,
    column: u32,
    path: &'a str,
    message: &'a str,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct CaseJson<'a> {
    consumer: &'a str,
    case: &'a str,
    messages: usize,
    ok: bool,
    failure: Option<&'a str>,
}

/// The result as JSON.
#[must_use]
pub fn json(checked: &Checked) -> String {
    super::json(&Json {
        ok: checked.problems.is_empty()
            && checked.cases.iter().all(|case| case.failure.is_none())
            && checked.findings.iter().all(Vec::is_empty),
        problems: checked.problems.iter().map(problem).collect(),
        warnings: checked.warnings.iter().map(problem).collect(),
        cases: checked
            .cases
            .iter()
            .map(|case| CaseJson {
                consumer: &case.consumer,
                case: &case.name,
                messages: case.messages,
                ok: case.failure.is_none(),
                failure: case.failure.as_deref(),
            })
            .collect(),
        definitions: checked.findings.as_ref().map(|findings| findings.iter().map(finding).collect()),
    })
}

fn finding(finding: &Finding) -> FindingJson<'_> {
    let Finding { kind, name, code, text } = finding;
    FindingJson { kind, name, code: code.to_string(), text }
}

fn problem(problem: &Problem) -> ProblemJson<'_> {
    ProblemJson {
        file: problem.file.display().to_string(),
        line: problem.line(),
        column: problem.column(),
        path: &problem.path,
        message: &problem.message,
        help: problem.help.as_deref(),
    }
}
