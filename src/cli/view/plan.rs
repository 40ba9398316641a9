//! A plan: the same rows as text and as JSON.

use std::fmt::Write as _;

use anstyle::Style;
use serde::Serialize;

use super::style::{BAD, CARE, FAINT, GOOD, STRONG, paint};
use crate::domain::{
    observed::Value,
    plan::{Action, Change, FieldChange, Plan},
};

/// The plan as text: one line per change, differing fields below it, sums at the end.
#[must_use]
pub fn text(title: &str, plan: &Plan) -> String {
    let mut out = String::new();
    let kind_width = 8;
    for change in &plan.changes {
        let (mark, style) = mark(change.action);
        let note = note(change);
        line(
            &mut out,
            &format!(
                "  {} {:kind_width$} {}{note}",
                paint(style, mark),
                change.kind.as_str(),
                paint(STRONG, &change.name),
            ),
        );
        for field in &change.fields {
            line(&mut out, &format!("      {}", field_text(field, change.action)));
        }
    }
    for sentence in &plan.unchecked {
        line(&mut out, &format!("  {} {sentence}", paint(CARE, "?")));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let sums = [Action::Create, Action::Update, Action::Replace, Action::Delete, Action::Foreign]
        .map(|action| format!("{} {}", plan.count(action), action.as_str()));
    let sums = format!("{} · {} keep", sums.join(" · "), plan.keep);
    let verdict = if is_pending(plan) { "" } else { "  no changes" };
    line(&mut out, &format!("{}  {sums}{verdict}", paint(STRONG, title)));
    out
}

/// Whether applying would do, or refuse to do, anything; what is foreign is only reported.
#[must_use]
pub fn is_pending(plan: &Plan) -> bool {
    plan.changes.iter().any(|change| change.action != Action::Foreign)
}

const fn mark(action: Action) -> (&'static str, Style) {
    match action {
        Action::Create => ("+", GOOD),
        Action::Update => ("~", CARE),
        Action::Replace => ("!", BAD),
        Action::Delete => ("-", BAD),
        Action::Foreign => ("?", CARE),
    }
}

fn note(change: &Change) -> String {
    let words = match change.action {
        Action::Create | Action::Update | Action::Delete => String::new(),
        Action::Replace => "  can't be changed in place".to_owned(),
        Action::Foreign => "  not ours, left alone".to_owned(),
    };
    let hazard = change.hazard.map(|code| format!("  {}", paint(BAD, code))).unwrap_or_default();
    words + &hazard
}

fn field_text(field: &FieldChange, action: Action) -> String {
    let name = &field.field;
    match (&field.from, &field.to, action) {
        (None, Some(to), Action::Create) => paint(FAINT, format!("{name}: {}", value_text(to))),
        (from, to, _) => {
            let side = |value: &Option<Value>| value.as_ref().map_or("(absent)".to_owned(), value_text);
            format!("{name}: is {}, should be {}", side(from), side(to))
        }
    }
}

/// A value for people.
#[must_use]
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) | Value::Other(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
    }
}

#[derive(Serialize)]
struct PlanJson<'a> {
    changes: Vec<ChangeJson<'a>>,
    summary: SummaryJson,
    unchecked: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<usize>,
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
    super::json(&PlanJson { changes, summary, unchecked: &plan.unchecked, applied })
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
        Value::Text(text) | Value::Other(text) => ValueJson::Text(text),
        Value::Bool(flag) => ValueJson::Bool(*flag),
    }
}

/// Writing into a `String` can't fail.
fn line(out: &mut String, text: &str) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok());
}
