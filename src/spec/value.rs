//! One node to one value of its field's shape: expansion first, then the reading of the text.

use std::path::Path;

use super::{
    expand::{self, Env},
    node::{Content, Node},
    scalar::{self, Raw, Wrong},
    table::{Fallback, Field, Shape},
    values::{Shown, Value},
};
use crate::domain::{
    consumer::Dedup,
    key::Pointer,
    secret::{Secret, mask},
};

/// What expansion needs.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub env: Env<'a>,
    /// The folder that relative paths of `${file:…}` begin at.
    pub base: &'a Path,
}

type Read = Result<(Value, Shown), Wrong>;

/// Reads the value of `field`.
pub(super) fn read(source: Source<'_>, field: &Field, shape: Shape, node: &Node) -> Read {
    match (&node.content, field.default) {
        (Content::Null, Fallback::Absent(_) | Fallback::Maybe(_)) => Ok((Value::Nothing, Shown::Nothing)),
        (Content::Null, Fallback::Is(default)) => Err(Wrong {
            message: "the value is empty".to_owned(),
            help: Some(format!("remove the line for the default {default}")),
        }),
        (Content::Null, Fallback::Required | Fallback::TopologyName) => Err(wrong("the value is empty")),
        (Content::Bool(value), _) if matches!(shape, Shape::True(_)) => {
            text(source, field, shape, &value.to_string(), true)
        }
        (Content::Bool(value), _) => {
            Err(wrong(format!("expected text or a number, found {value} (in quotes it would be text)")))
        }
        (Content::Number(number), _) => text(source, field, shape, number, true),
        (Content::Text(words), _) => text(source, field, shape, words, false),
        (Content::List(items), _) => list(source, shape, items),
        (Content::Map(_), _) => Err(wrong("expected one value, found a mapping")),
    }
}

/// Reads a text of the file or of a default; `number`: YAML took it for a number.
pub(super) fn text(source: Source<'_>, field: &Field, shape: Shape, text: &str, number: bool) -> Read {
    let expanded = expand::expand(text, source.base, source.env)?;
    let optional = matches!(field.default, Fallback::Absent(_) | Fallback::Maybe(_));
    if optional && expanded.replaced && expanded.value.is_empty() {
        return Ok((Value::Nothing, Shown::Text(mask(text))));
    }
    let raw = Raw { source: text, value: &expanded.value, replaced: expanded.replaced, number };
    scalar::read(shape, &raw)
}

fn list(source: Source<'_>, shape: Shape, items: &[Node]) -> Read {
    let dedup = matches!(shape, Shape::Dedup);
    if !dedup && !matches!(shape, Shape::Words) {
        return Err(wrong("expected one value, found a list"));
    }
    if items.is_empty() {
        return Err(wrong("the list is empty"));
    }
    let (mut words, mut pointers, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        let (Content::Text(written) | Content::Number(written)) = &item.content else {
            return Err(wrong(format!("expected a list of texts, found {} in it", item.content.kind())));
        };
        let expanded = expand::expand(written, source.base, source.env)?;
        if dedup {
            pointers.push(Pointer::parse(&expanded.value)?);
        }
        let secret = Secret::new(expanded.value, written);
        shown.push(secret.shown().to_owned());
        words.push(secret);
    }
    let value = if dedup { Value::Dedup(Dedup::Fields(pointers)) } else { Value::Words(words) };
    Ok((value, Shown::List(shown)))
}

fn wrong(message: impl Into<String>) -> Wrong {
    Wrong { message: message.into(), help: None }
}
