//! A plan: the same rows as text and as JSON.

use std::fmt::Write as _;

use anstyle::Style;
use serde::Serialize;
use serde_json::Value as Json;

use super::style::{BAD, CARE, FAINT, GOOD, STRONG, paint};
use crate::domain::{
    code::Code,
    observed::Value,
    plan::{Action, Change, FieldChange, Kind, Plan},
};

/// The plan as text: one line per change, differing fields below it, sums at the end.
#[must_use]
pub fn text(title: &str, plan: &Plan) -> String {
    lines(title, plan, "changes pending")
}

/// The same before it is run.
#[must_use]
pub fn to_do(title: &str, plan: &Plan) -> String {
    lines(title, plan, if plan.has_work() { "to do" } else { "nothing to do" })
}

/// What was done, after the last step; `left` is the plan of the second look.
#[must_use]
pub fn done(shown: &Plan, left: &Plan) -> String {
    let steps = shown.steps().count();
    let mut out = match (shown.has_work(), steps) {
        (_, 0) => String::new(),
        (false, _) => format!("done: {steps} steps that can't be checked were made again\n"),
        (true, _) => format!("done: {steps} steps\n"),
    };
    if !left.is_empty() {
        let names = left.changes.iter().map(|change| format!("{} {}", change.kind.as_str(), change.name));
        line(&mut out, &format!("left alone, not topo's to mend: {}", few(names.collect()).join(", ")));
    }
    out
}

fn lines(title: &str, plan: &Plan, pending: &str) -> String {
    let mut out = String::new();
    let mut made: Option<&[FieldChange]> = None;
    for change in &plan.changes {
        let (mark, style) = mark(change.action);
        let kind = format!("{:8}", change.kind.as_str());
        let name = paint(STRONG, &change.name);
        line(&mut out, &format!("  {} {kind} {name}{}", paint(style, mark), note(change)));
        if change.action == Action::Create {
            // Many queues are made alike: what they are made of is said once. A binding's name says it all.
            let fields = change.fields.as_slice();
            if !fields.is_empty() && made != Some(fields) && change.kind != Kind::Binding {
                let listed =
                    |form: fn(&FieldChange) -> String| fields.iter().map(form).collect::<Vec<_>>().join(", ");
                let listed = if change.is_refusal() { listed(differing) } else { listed(created) };
                line(&mut out, &format!("             {}", paint(FAINT, listed)));
                made = Some(fields);
            }
        } else if change.hazard == Some(Code::Orphan) {
            let counts: Vec<_> = change.fields.iter().map(found).collect();
            line(&mut out, &format!("             {}", counts.join(", ")));
        } else {
            for field in &change.fields {
                line(&mut out, &format!("             {}", differing(field)));
            }
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
    let verdict = if plan.is_empty() { "no changes" } else { pending };
    let sums = format!("{} · {} keep", sums.join(" · "), plan.keep);
    line(&mut out, &format!("{}: {verdict}  {}", paint(STRONG, title), paint(FAINT, sums)));
    out
}

/// Changes as sentences with every differing field and both its values; of very many only the first.
#[must_use]
pub fn differences<'a>(changes: impl IntoIterator<Item = &'a Change>) -> Vec<String> {
    let sentences = changes
        .into_iter()
        .map(|change| {
            let fields: Vec<String> = change.fields.iter().map(differing).collect();
            let fields =
                if fields.is_empty() { change.action.as_str().to_owned() } else { fields.join("; ") };
            format!("{} {}: {fields}", change.kind.as_str(), change.name)
        })
        .collect();
    few(sentences)
}

/// The first of very many sentences, and how many more there are.
#[must_use]
pub fn few(mut sentences: Vec<String>) -> Vec<String> {
    const SHOWN: usize = 10;
    let more = sentences.len().saturating_sub(SHOWN);
    sentences.truncate(SHOWN);
    sentences.extend((more > 0).then(|| format!("… and {more} more")));
    sentences
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
        Action::Create if change.is_refusal() => "  would not be what the file says".to_owned(),
        Action::Create | Action::Update | Action::Delete => String::new(),
        Action::Replace => "  can't be changed in place".to_owned(),
        Action::Foreign => "  not ours, left alone".to_owned(),
    };
    let hazard = change.hazard.map(|code| format!("  {}", paint(BAD, code))).unwrap_or_default();
    words + &hazard
}

fn found(field: &FieldChange) -> String {
    format!("{} {}", field.field, side(field.from.as_ref()))
}

fn created(field: &FieldChange) -> String {
    format!("{} {}", field.field, side(field.to.as_ref()))
}

/// One field with both its values.
#[must_use]
pub fn differing(field: &FieldChange) -> String {
    format!("{} is {}, should be {}", field.field, side(field.from.as_ref()), side(field.to.as_ref()))
}

fn side(value: Option<&Value>) -> String {
    value.map_or_else(|| "absent".to_owned(), value_text)
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) | Value::Other(text) => text.clone(),
        Value::Bool(flag) => flag.to_string(),
    }
}

/// The fields of a plan's document.
#[derive(Serialize)]
pub(super) struct PlanJson<'a> {
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
    super::json(&document(plan, applied))
}

/// The plan as part of a document.
pub(super) fn document(plan: &Plan, applied: Option<usize>) -> PlanJson<'_> {
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
    PlanJson { changes, summary, unchecked: &plan.unchecked, applied }
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

/// Writing into a `String` can't fail.
fn line(out: &mut String, text: &str) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok());
}
