//! A plan: the same rows as text and as JSON.

pub(super) mod json;

use std::fmt::Write as _;

use anstyle::Style;

use super::style::{BAD, CARE, FAINT, GOOD, STRONG, paint};
use crate::domain::{
    code::Code,
    observed::Value,
    plan::{Action, Change, FieldChange, Kind, Plan},
};

pub use json::{applied, json};

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
        let red = left.changes.iter().filter(|change| !change.is_informational());
        let names = red.map(|change| format!("{} {}", change.kind.as_str(), change.name));
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
        Action::Replace if change.hazard == Some(Code::PolicyLimits) => {
            "  another policy is in the way".to_owned()
        }
        Action::Replace => "  immutable: needs a new generation".to_owned(),
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

/// Writing into a `String` can't fail.
fn line(out: &mut String, text: &str) {
    let written = writeln!(out, "{text}");
    debug_assert!(written.is_ok());
}
