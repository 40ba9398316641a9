//! A raw JSON value to the text that a key or an id is.
//!
//! A string is its decoded text, an integer its digits as written (`-0` is `-0`); everything else is
//! refused with the name of its kind (T106).

use std::borrow::Cow;

/// What a raw value is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Text<'a> {
    /// `null`, which is like a value that is not there.
    Null,
    /// A string or an integer.
    Is(Cow<'a, str>),
    /// Something else, by its name in messages.
    Other(&'static str),
    /// A string that can't be decoded, such as half of a surrogate pair.
    Undecodable(String),
}

/// Reads `raw`, the text of one valid JSON value.
pub(super) fn text(raw: &str) -> Text<'_> {
    match raw.as_bytes().first() {
        Some(b'"') => string(raw),
        Some(b'n') => Text::Null,
        Some(b't' | b'f') => Text::Other("true or false"),
        Some(b'[') => Text::Other("an array"),
        Some(b'{') => Text::Other("an object"),
        _ if is_integer(raw) => Text::Is(Cow::Borrowed(raw)),
        _ => Text::Other("a number with a fraction or an exponent"),
    }
}

/// Whether `raw` is a JSON number without fraction and exponent.
pub(super) fn is_integer(raw: &str) -> bool {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn string(raw: &str) -> Text<'_> {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => Text::Is(Cow::Borrowed(plain)),
        _ => match serde_json::from_str::<String>(raw) {
            Ok(decoded) => Text::Is(Cow::Owned(decoded)),
            Err(error) => Text::Undecodable(error.to_string()),
        },
    }
}
