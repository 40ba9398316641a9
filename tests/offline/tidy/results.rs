//! docs/cli.md names every field of the JSON results.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde_json::Value;
use topo::{
    cli::view::{
        self,
        check::{CaseResult, Checked, Finding},
    },
    domain::{
        code::Code,
        doctor::{Check, Diagnosis},
        import::Obstacle,
        observed::QueueStats,
        plan::Plan,
        report::{ConsumeCounts, ConsumeReport, LineProblem, PublishReport},
        status::{Problem, ShardStatus, StatusReport},
        teardown::{QueueCount, Teardown},
    },
};

use super::source::file;

/// Every name of an object anywhere in `value`; shard numbers are values, not names.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, below) in object {
                if name.parse::<u32>().is_err() {
                    found.insert(name.clone());
                }
                names(below, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The quoted words in the row of `command`.
fn documented(command: &str) -> BTreeSet<String> {
    let text = file("docs/cli.md").text;
    let row = text
        .lines()
        .find(|line| line.starts_with("| `") && line.contains(&format!("`{command}`")) && line.contains('"'))
        .unwrap_or_else(|| panic!("no row for the result of {command}"));
    row.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn check(command: &str, document: &str) {
    let mut fields = BTreeSet::new();
    names(&serde_json::from_str(document).expect("JSON"), &mut fields);
    let documented = documented(command);
    let missing: Vec<_> = fields.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/cli.md does not name {missing:?} of {command}");
}

#[test]
fn the_fields_of_every_result_are_documented() {
    let problem = LineProblem { source: "-".to_owned(), line: 1, text: String::new() };
    check(
        "publish",
        &view::publish::json(&PublishReport { problems: vec![problem], ..PublishReport::default() }),
    );
    let consumed = ConsumeReport {
        per_shard: BTreeMap::from([(3, ConsumeCounts::default())]),
        blocked: BTreeMap::from([(3, String::new())]),
        ..ConsumeReport::default()
    };
    check("consume", &view::consume::json(&consumed));
    let status = StatusReport {
        shards: vec![ShardStatus::default()],
        problems: vec![Problem { code: Code::Blocked, text: String::new() }],
        ..StatusReport::default()
    };
    check("status", &view::status::json(&status));
    let problem = topo::spec::Problem {
        file: PathBuf::new(),
        place: None,
        path: String::new(),
        message: String::new(),
        help: None,
    };
    let finding = Finding { kind: "", name: String::new(), code: Code::ArgumentHazard, text: String::new() };
    let case = CaseResult { consumer: String::new(), name: String::new(), messages: 0, failure: None };
    let checked = Checked {
        problems: vec![problem],
        cases: vec![case],
        findings: Some(vec![finding]),
        ..Checked::default()
    };
    check("check", &view::check::json(&checked));
    let checks = vec![Check::ok("x", "")];
    check("doctor", &view::doctor::json(&Diagnosis { topology: String::new(), checks }));
    let reason = Obstacle::new("queue a", "x-max-length", "1", "none");
    check("import", &view::import::refused("orders", &[reason]));
    check("plan", &view::plan::json(&Plan::default(), Some(0)));
    let count = QueueCount { queue: String::new(), stats: QueueStats::default() };
    let down = Teardown {
        plan: Plan::default(),
        counts: vec![count],
        kept: Vec::new(),
        exchange_in_use: false,
        refusal: None,
    };
    let document: Value = serde_json::from_str(&view::destroy::json(&down, Some(0))).expect("JSON");
    let Value::Object(mut fields) = document else { panic!("{document}") };
    fields.insert("summary".to_owned(), Value::Null);
    check("destroy", &Value::Object(fields).to_string());
}
