//! A plan as JSON.

use serde::Serialize;
use serde_json::Value as Json;

use crate::{
    cli::view::probe::{self, ProbeJson},
    domain::{
        observed::Value,
        plan::{Action, FieldChange, Plan},
        probe::RoutingProof,
    },
};

#[derive(Serialize)]
pub(in crate::cli::view) struct PlanJson<'a> {
    changes: Vec<ChangeJson<'a>>,
    summary: SummaryJson,
    unchecked: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<ProbeJson<'a>>,
}

#[derive(Serialize)]
struct ChangeJson<'a> {
    action: &'static str,
    kind: &'static str,
    name: &'a str,
    fields: Vec<FieldJson<'a>>,
    hazard: Option<String>,
}

#[derive(Serialize)]
struct FieldJson<'a> {
    field: &'a str,
    from: Option<ValueJson<'a>>,
    to: Option<ValueJson<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ValueJson<'a> {
    Integer(i64),
    Text(&'a str),
    Bool(bool),
    Other(Json),
}

#[derive(Serialize)]
struct SummaryJson {
    create: usize,
    update: usize,
    replace: usize,
    delete: usize,
    foreign: usize,
    keep: u64,
}

/// The plan as JSON; `applied` is the number of steps done, for `apply`.
#[must_use]
pub fn json(plan: &Plan, applied: Option<usize>) -> String {
    crate::cli::view::json(&document(plan, applied))
}

/// An apply's result: the plan that was run, the number of steps done and what the probes showed.
#[must_use]
pub fn applied(plan: &Plan, steps: usize, proof: &RoutingProof) -> String {
    crate::cli::view::json(&PlanJson { probe: Some(probe::document(proof)), ..document(plan, Some(steps)) })
}

/// The plan as part of a document.
pub(in crate::cli::view) fn document(plan: &Plan, applied: Option<usize>) -> PlanJson<'_> {
    let changes = plan
        .changes
        .iter()
        .map(|change| ChangeJson {
            action: change.action.as_str(),
            kind: change.kind.as_str(),
            name: &change.name,
            fields: change.fields.iter().map(field_json).collect(),
            hazard: change.hazard.map(|code| code.to_string()),
        })
        .collect();
    let summary = SummaryJson {
        create: plan.count(Action::Create),
        update: plan.count(Action::Update),
        replace: plan.count(Action::Replace),
        delete: plan.count(Action::Delete),
        foreign: plan.count(Action::Foreign),
        keep: plan.keep,
    };
    PlanJson { changes, summary, unchecked: &plan.unchecked, applied, probe: None }
}

fn field_json(field: &FieldChange) -> FieldJson<'_> {
    FieldJson {
        field: &field.field,
        from: field.from.as_ref().map(value_json),
        to: field.to.as_ref().map(value_json),
    }
}

fn value_json(value: &Value) -> ValueJson<'_> {
    match value {
        Value::Integer(number) => ValueJson::Integer(*number),
        Value::Text(text) => ValueJson::Text(text),
        Value::Bool(flag) => ValueJson::Bool(*flag),
        // Lists, tables and fractions as the management API wrote them; through AMQP their text.
        Value::Other(text) => match serde_json::from_str(text) {
            Ok(json) => ValueJson::Other(json),
            Err(_) => ValueJson::Text(text),
        },
    }
}
