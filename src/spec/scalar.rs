//! One text to one value of the shape that its field asks for.
//!
//! Messages never repeat an expanded text: it may hold a password. They repeat what stands in the file
//! only where a typing error is likely and a secret is not.

use super::{
    duration, hint, size,
    table::Shape,
    values::{Shown, Value},
};
use crate::domain::{
    consumer::{Dedup, Linger},
    key::{KeyRule, Pointer},
    lint,
    name::Name,
    secret::{Secret, mask},
    template::{self, Template},
    version::BrokerVersion,
};

/// A text of the file before and after expansion.
pub(super) struct Raw<'a> {
    pub source: &'a str,
    pub value: &'a str,
    /// Whether something was replaced: then only `source` is ever shown.
    pub replaced: bool,
    /// Whether YAML took it for a number.
    pub number: bool,
}

/// What is wrong with a text, and perhaps what was meant.
pub(super) struct Wrong {
    pub message: String,
    pub help: Option<String>,
}

impl<E: std::error::Error> From<E> for Wrong {
    fn from(error: E) -> Self {
        Self { message: error.to_string(), help: None }
    }
}

fn wrong(message: impl Into<String>) -> Wrong {
    Wrong { message: message.into(), help: None }
}

/// Reads `raw` as `shape`; lists and mappings are the reader's work.
pub(super) fn read(shape: Shape, raw: &Raw<'_>) -> Result<(Value, Shown), Wrong> {
    let value = value(shape, raw)?;
    let shown = if raw.replaced { Shown::Text(mask(raw.source)) } else { show(shape, &value, raw.value) };
    Ok((value, shown))
}

fn value(shape: Shape, raw: &Raw<'_>) -> Result<Value, Wrong> {
    let text = raw.value;
    if text.is_empty() {
        return Err(wrong("the value is empty"));
    }
    Ok(match shape {
        Shape::Name => {
            Name::new(text)?;
            Value::Text(Secret::new(text, raw.source))
        }
        Shape::Text | Shape::File => Value::Text(Secret::new(text, raw.source)),
        Shape::Url(schemes) => {
            // Nothing of the text is repeated, not even its scheme: in place of a URL there may be a password.
            let known = schemes
                .iter()
                .any(|scheme| text.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)));
            if !known {
                return Err(wrong(format!("the URL must begin with {}", list(schemes))));
            }
            Value::Text(Secret::new(text, raw.source))
        }
        Shape::Pointer => Value::Pointer(Pointer::parse(text)?),
        Shape::Key => Value::Key(KeyRule::parse(text)?),
        Shape::Template(needed) => {
            let template = Template::parse(text).map_err(|error| match error {
                template::Error::Unknown(_) if raw.replaced => wrong("unknown placeholder in a template"),
                error => error.into(),
            })?;
            let missing: Vec<_> = needed
                .iter()
                .filter(|f| !template.names(**f))
                .map(|f| format!("{{{}}}", f.as_str()))
                .collect();
            if !missing.is_empty() {
                return Err(wrong(format!(
                    "the template must contain {}, or names collide",
                    missing.join(", ")
                )));
            }
            Value::Template(template)
        }
        Shape::Choice(words, refused) => Value::Choice(choice(words, refused, raw)?),
        Shape::True(reason) => match text {
            "true" => Value::True,
            _ => return Err(wrong(format!("only true is accepted: {reason}"))),
        },
        Shape::Count(min, max) => Value::Count(count(raw, min, max)?),
        Shape::Version => Value::Version(version(text)?),
        Shape::Size(min, max) => {
            let bytes = size::parse(text)?;
            if !(min..=max).contains(&bytes) {
                return Err(wrong(format!(
                    "the size must be from {} to {}",
                    size::print(min),
                    size::print(max)
                )));
            }
            Value::Count(bytes)
        }
        Shape::Duration(min, max) => {
            let length = duration::parse(text)?;
            if !(min..=max).contains(&length) {
                let (min, max) = (duration::print(min), duration::print(max));
                return Err(wrong(format!("the duration must be from {min} to {max}")));
            }
            Value::Duration(length)
        }
        Shape::Range => {
            let (min, max) = duration::parse_range(text)?;
            Value::Range(min, max)
        }
        Shape::Linger => Value::Linger(match text {
            "auto" => Linger::Auto,
            text => Linger::For(duration::parse(text)?),
        }),
        Shape::Dedup => Value::Dedup(match choice(&["message_id", "sequence"], &[], raw) {
            Ok("sequence") => Dedup::Sequence,
            Ok(_) => Dedup::MessageId,
            Err(wrong) => {
                let message = format!("{}, or a list of JSON Pointers", wrong.message);
                return Err(Wrong { message, help: wrong.help });
            }
        }),
        Shape::Words => return Err(wrong("expected a list: [program, argument, …]")),
    })
}

fn choice(
    words: &'static [&'static str],
    refused: &[(&str, &str)],
    raw: &Raw<'_>,
) -> Result<&'static str, Wrong> {
    if let Some(word) = words.iter().find(|word| **word == raw.value) {
        return Ok(word);
    }
    if let Some((word, reason)) = refused.iter().find(|(word, _)| *word == raw.value) {
        return Err(wrong(format!("{word} is refused: {reason}")));
    }
    let help = hint::did_you_mean(raw.value, words.iter().copied());
    Err(Wrong { message: format!("{:?} is not one of {}", mask(raw.source), list(words)), help })
}

fn count(raw: &Raw<'_>, min: u64, max: u64) -> Result<u64, Wrong> {
    let digits = raw.value.chars().all(|c| c.is_ascii_digit()) && (raw.number || raw.replaced);
    if !digits {
        return Err(wrong(format!("expected a whole number from {min} to {max}")));
    }
    match raw.value.parse() {
        Ok(number) if (min..=max).contains(&number) => Ok(number),
        _ => Err(wrong(format!("the number must be from {min} to {max}"))),
    }
}

/// A version from 3.10 on.
pub(super) fn version(text: &str) -> Result<BrokerVersion, Wrong> {
    match lint::supported(text) {
        Some(version) => Ok(version),
        None => Err(wrong(format!(
            "expected a version of RabbitMQ from {} on",
            lint::version_list(&lint::VERSIONS[..1])
        ))),
    }
}

fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The form that `--expanded` prints: normal form for numbers, sizes and durations, else as written.
fn show(shape: Shape, value: &Value, text: &str) -> Shown {
    match (shape, value) {
        (Shape::Size(..), Value::Count(bytes)) => Shown::Plain(size::print(*bytes)),
        (_, Value::Count(number)) => Shown::Plain(number.to_string()),
        (_, Value::True) => Shown::Plain("true".to_owned()),
        (_, Value::Duration(length)) => Shown::Plain(duration::print(*length)),
        (_, Value::Range(min, max)) => Shown::Plain(duration::print_range(*min, *max)),
        (_, Value::Linger(Linger::For(length))) => Shown::Plain(duration::print(*length)),
        (_, Value::Text(secret)) => Shown::Text(secret.shown().to_owned()),
        _ => Shown::Text(text.to_owned()),
    }
}
