//! The result of `doctor`.

use serde::Serialize;

use super::style::{BAD, CARE, FAINT, GOOD, STRONG, paint};
use crate::{
    cli::failure::clean,
    domain::doctor::{Check, Diagnosis, Status},
};

const STATUSES: [Status; 4] = [Status::Problem, Status::Warning, Status::Unchecked, Status::Ok];

/// The result as text: the verdict, then every check with what to do.
#[must_use]
pub fn text(diagnosis: &Diagnosis) -> String {
    let verdict = if diagnosis.healthy() { paint(GOOD, "healthy") } else { paint(BAD, "unhealthy") };
    let counts = STATUSES.map(|status| format!("{} {}", diagnosis.count(status), status.as_str()));
    let name = paint(STRONG, &diagnosis.topology);
    let mut out = format!("{name} {verdict}: {}\n\n", counts.join(", "));
    let width = diagnosis.checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for check in &diagnosis.checks {
        let word = format!("{:<9}", check.status.as_str());
        let word = match check.status {
            Status::Ok => paint(GOOD, word),
            Status::Problem => paint(BAD, word),
            Status::Warning | Status::Unchecked => paint(CARE, word),
        };
        let text = clean(&check.text);
        let code = check.code.map_or_else(String::new, |code| format!("{code}: "));
        out.push_str(&format!("{word}  {:<width$}  {code}{text}\n", check.name));
        // What could not be seen says itself what is needed.
        if let Some(help) = check.help.as_ref().filter(|_| check.status != Status::Unchecked) {
            out.push_str(&format!("{:11}{:width$}  {}\n", "", "", paint(FAINT, help)));
        }
    }
    out
}

#[derive(Serialize)]
struct Json<'a> {
    topology: &'a str,
    healthy: bool,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    name: &'static str,
    status: &'static str,
    code: Option<String>,
    text: String,
    help: Option<&'a str>,
}

/// The result as JSON.
#[must_use]
pub fn json(diagnosis: &Diagnosis) -> String {
    super::json(&Json {
        topology: &diagnosis.topology,
        healthy: diagnosis.healthy(),
        checks: diagnosis.checks.iter().map(check_json).collect(),
    })
}

fn check_json(check: &Check) -> CheckJson<'_> {
    CheckJson {
        name: check.name,
        status: check.status.as_str(),
        code: check.code.map(|code| code.to_string()),
        text: clean(&check.text),
        help: check.help.as_deref(),
    }
}
