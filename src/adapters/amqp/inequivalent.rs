//! Reads the broker's 406 answer to declaring an existing object differently.
//!
//! The text has the same three forms in every version: both sides have the argument, only the request, only
//! the live object. It is a short string of at most 255 bytes, so long names may cut it; what is left then
//! stands as it is.

use crate::domain::observed::{Difference, Value};

/// The difference that `text` names, or `None` when it is another kind of refusal. `asked` gives what was
/// declared for a field; its type decides how untyped values are read.
#[must_use]
pub fn parse(text: &str, asked: impl Fn(&str) -> Option<Value>) -> Option<Difference> {
    let (_, rest) = text.split_once("inequivalent arg '")?;
    let Some((field, rest)) = rest.split_once("' for ") else {
        let live = Some(Value::Other(text.to_owned()));
        return Some(Difference { field: "declaration".to_owned(), live, asked: None });
    };
    let wanted = asked(field);
    // Names may hold any text, values of topologies do not hold this.
    let halves =
        rest.rsplit_once(": received ").and_then(|(_, values)| values.split_once(" but current is "));
    let Some((received, current)) = halves else {
        let live = Some(Value::Other(format!("not told: {text}")));
        return Some(Difference { field: field.to_owned(), live, asked: wanted });
    };
    let live = side(current, wanted.as_ref());
    let asked = wanted.or_else(|| side(received, None));
    Some(Difference { field: field.to_owned(), live, asked })
}

/// `none`, `'VALUE'` or `the value 'VALUE' of type 'TYPE'`.
fn side(text: &str, like: Option<&Value>) -> Option<Value> {
    if text == "none" {
        return None;
    }
    if let Some((value, kind)) = text
        .strip_prefix("the value '")
        .and_then(|rest| rest.strip_suffix('\''))
        .and_then(|rest| rest.rsplit_once("' of type '"))
    {
        return Some(typed(value, kind));
    }
    let value = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text);
    Some(match like {
        Some(Value::Integer(_)) => integer(value),
        Some(Value::Bool(_)) => boolean(value),
        Some(Value::Text(_) | Value::Other(_)) | None => Value::Text(value.to_owned()),
    })
}

fn typed(value: &str, kind: &str) -> Value {
    match kind {
        "longstr" | "binary" => Value::Text(value.to_owned()),
        "bool" => boolean(value),
        "byte" | "short" | "signedint" | "long" | "unsignedbyte" | "unsignedshort" | "unsignedint" => {
            integer(value)
        }
        _ => Value::Other(value.to_owned()),
    }
}

fn integer(value: &str) -> Value {
    value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Integer)
}

fn boolean(value: &str) -> Value {
    value.parse().map_or_else(|_| Value::Text(value.to_owned()), Value::Bool)
}
