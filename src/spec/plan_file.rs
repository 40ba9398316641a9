//! The file of a saved plan: one JSON document with a format number.
//!
//! Values keep their types. Reading is strict: a file of another format, or one with words that this
//! version does not know, is no plan. Does not compare it with anything.

use serde::{Deserialize, Serialize};

use crate::domain::{
    code::Code,
    observed::Value,
    plan::{Action, FieldChange, Kind},
    saved::{Place, SavedChange, SavedPlan},
};

/// The only format so far.
const FORMAT: u32 = 1;

/// Why a text is no saved plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanFileError {
    /// Not such a document.
    #[error("it is not a plan that `topo plan --out` wrote")]
    Shape(#[source] serde_json::Error),
    /// A format of another version.
    #[error("it has format {0}; this version reads format {FORMAT}")]
    Format(u32),
    /// A word that this version does not know.
    #[error("it has the {what} {word:?}, which this version does not know")]
    Word {
        /// Action, kind or hazard.
        what: &'static str,
        /// The word.
        word: String,
    },
}

#[derive(Deserialize)]
struct Head {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    topology: String,
    generation: u32,
    broker: String,
    vhost: String,
    management: Option<String>,
    stores: Vec<String>,
    prune: bool,
    changes: Vec<Line>,
    ensure: Vec<String>,
    keep: u64,
    unchecked: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    action: String,
    kind: String,
    name: String,
    fields: Vec<Field>,
    hazard: Option<String>,
    step: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    field: String,
    from: Option<Typed>,
    to: Option<Typed>,
}

/// A value of another type than JSON's is written `{"other": "its text"}`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Typed {
    Integer(i64),
    Bool(bool),
    Text(String),
    Other { other: String },
}

/// The document for `plan`.
///
/// # Errors
/// None that the shape can cause; the library's own are handed on.
pub fn write(plan: &SavedPlan) -> Result<String, PlanFileError> {
    let place = &plan.place;
    let file = File {
        format: FORMAT,
        topology: place.topology.clone(),
        generation: place.generation,
        broker: place.broker.clone(),
        vhost: place.vhost.clone(),
        management: place.management.clone(),
        stores: place.stores.clone(),
        prune: plan.prune,
        changes: plan.changes.iter().map(line).collect(),
        ensure: plan.ensure.clone(),
        keep: plan.keep,
        unchecked: plan.unchecked.clone(),
    };
    let text = serde_json::to_string_pretty(&file).map_err(PlanFileError::Shape)?;
    Ok(text + "\n")
}

/// Reads a document that [`write()`] made.
///
/// # Errors
/// See [`PlanFileError`].
pub fn read(text: &str) -> Result<SavedPlan, PlanFileError> {
    let head: Head = serde_json::from_str(text).map_err(PlanFileError::Shape)?;
    if head.format != FORMAT {
        return Err(PlanFileError::Format(head.format));
    }
    let file: File = serde_json::from_str(text).map_err(PlanFileError::Shape)?;
    let changes = file.changes.into_iter().map(saved_change).collect::<Result<_, _>>()?;
    Ok(SavedPlan {
        place: Place {
            topology: file.topology,
            generation: file.generation,
            broker: file.broker,
            vhost: file.vhost,
            management: file.management,
            stores: file.stores,
        },
        prune: file.prune,
        changes,
        ensure: file.ensure,
        keep: file.keep,
        unchecked: file.unchecked,
    })
}

fn line(change: &SavedChange) -> Line {
    let field = |change: &FieldChange| Field {
        field: change.field.clone(),
        from: change.from.as_ref().map(typed),
        to: change.to.as_ref().map(typed),
    };
    Line {
        action: change.action.as_str().to_owned(),
        kind: change.kind.as_str().to_owned(),
        name: change.name.clone(),
        fields: change.fields.iter().map(field).collect(),
        hazard: change.hazard.map(|code| code.to_string()),
        step: change.step.clone(),
    }
}

fn saved_change(line: Line) -> Result<SavedChange, PlanFileError> {
    let unknown = |what, word: &str| PlanFileError::Word { what, word: word.to_owned() };
    let action = Action::ALL.into_iter().find(|action| action.as_str() == line.action);
    let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == line.kind);
    let code = |word: &String| {
        let known = Code::ALL.iter().find(|code| code.to_string() == *word);
        known.copied().ok_or_else(|| unknown("hazard", word))
    };
    let field = |field: Field| FieldChange {
        field: field.field,
        from: field.from.map(value),
        to: field.to.map(value),
    };
    Ok(SavedChange {
        action: action.ok_or_else(|| unknown("action", &line.action))?,
        kind: kind.ok_or_else(|| unknown("kind", &line.kind))?,
        hazard: line.hazard.as_ref().map(code).transpose()?,
        name: line.name,
        fields: line.fields.into_iter().map(field).collect(),
        step: line.step,
    })
}

fn typed(value: &Value) -> Typed {
    match value {
        Value::Integer(number) => Typed::Integer(*number),
        Value::Bool(flag) => Typed::Bool(*flag),
        Value::Text(text) => Typed::Text(text.clone()),
        Value::Other(text) => Typed::Other { other: text.clone() },
    }
}

fn value(typed: Typed) -> Value {
    match typed {
        Typed::Integer(number) => Value::Integer(number),
        Typed::Bool(flag) => Value::Bool(flag),
        Typed::Text(text) => Value::Text(text),
        Typed::Other { other } => Value::Other(other),
    }
}
