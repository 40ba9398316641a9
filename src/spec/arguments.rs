//! `queues.arguments`: names with typed values, as they go to the broker.
//!
//! Owns types and names; whether an argument may stand there is judged in [`super::lint`]. A text that
//! came out of a reference takes the type that its argument has, because the environment knows no types.

use super::{
    expand,
    node::{Content, Node},
    read::{Reader, at, join, key_at},
    scalar::Wrong,
    values::{Entry, Shown, Value, Values},
};
use crate::domain::{
    lint::{arguments, row::Takes},
    name::SHORT_STRING_MAX,
    observed,
    secret::mask,
};

/// Where the arguments stand.
pub(super) const PATH: &str = "queues.arguments";

/// The path of one argument.
pub(super) fn path(name: &str) -> String {
    format!("{PATH}.{name}")
}

/// Reads the mapping at `path`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, path: &str, out: &mut Values) {
    let pairs = match &node.content {
        Content::Map(pairs) => pairs.as_slice(),
        Content::Null => &[],
        other @ (Content::Bool(_) | Content::Number(_) | Content::Text(_) | Content::List(_)) => {
            let message = format!("expected a mapping of queue arguments, found {}", other.kind());
            return reader.problem(at(node), path, message, Some("write `x-NAME: value`".to_owned()));
        }
    };
    for (key, node) in pairs {
        let path = join(path, &key.text);
        if let Some(before) = out.get(&path) {
            let message = format!("the argument is given twice, first at {}", before.at);
            reader.problem(key_at(key), &path, message, None);
        } else if key.text.is_empty() || key.text.len() > SHORT_STRING_MAX {
            reader.problem(key_at(key), &path, "an argument's name has 1 to 255 bytes", None);
        } else {
            match value(reader, &key.text, node) {
                Ok((value, shown)) => {
                    let value = Value::Argument(value);
                    out.insert(path, Entry { at: key_at(key), value, shown });
                }
                Err(wrong) => reader.problem(at(node), &path, wrong.message, wrong.help),
            }
        }
    }
}

fn value(reader: &Reader<'_>, name: &str, node: &Node) -> Result<(observed::Value, Shown), Wrong> {
    let wrong = |message: &str| Wrong { message: message.to_owned(), help: None };
    match &node.content {
        Content::Bool(value) => Ok((observed::Value::Bool(*value), Shown::Plain(value.to_string()))),
        Content::Number(text) => match text.parse() {
            Ok(number) => Ok((observed::Value::Integer(number), Shown::Plain(text.clone()))),
            Err(_) => Err(wrong("expected a whole number of 64 bits; in quotes it would be text")),
        },
        Content::Text(text) => {
            let expanded = expand::expand(text, reader.source.base, reader.source.env)?;
            let typed = if expanded.replaced { typed(name, &expanded.value) } else { None };
            let value = typed.unwrap_or(observed::Value::Text(expanded.value));
            Ok((value, Shown::Text(mask(text))))
        }
        Content::Null => Err(wrong("the value is empty")),
        Content::List(_) | Content::Map(_) => {
            Err(wrong(&format!("expected a number, true, false or text, found {}", node.content.kind())))
        }
    }
}

fn typed(name: &str, text: &str) -> Option<observed::Value> {
    match arguments::row(name)?.takes {
        Takes::Integer(..) => text.parse().ok().map(observed::Value::Integer),
        Takes::Bool => text.parse().ok().map(observed::Value::Bool),
        Takes::Text | Takes::Word(_) => None,
    }
}
