//! A message's fields as values of SQL parameters.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::rfc3339;
use crate::domain::{envelope::HeaderValue, message::Message, sql::Parameter};

/// A value for one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// Text; JSON text for the JSON parameters.
    Text(String),
}

/// Why a message's body can't be bound: the message's own fault. Never quotes the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// Text parameters are UTF-8.
    #[error("the body is not UTF-8 text, so it can't be bound as :body")]
    NotText,
    /// An element of `:messages` must be JSON, or it could forge its neighbours.
    #[error("the body is not JSON, so it can't be part of :messages")]
    NotJson,
    /// A bug: JSON of ours could not be written.
    #[error("the value can't be written as JSON")]
    Unwritable,
}

/// The value of `parameter` for one message of `shard`.
///
/// # Errors
/// See [`BindError`]; only `:body` can fail, and `:messages`, which belongs to no single message.
pub fn value(parameter: Parameter, message: &Message, shard: u32) -> Result<Value, BindError> {
    let text = |text: &str| Value::Text(text.to_owned());
    let optional = |value: &Option<String>| value.as_deref().map_or(Value::Null, text);
    Ok(match parameter {
        Parameter::MessageId => text(&message.message_id),
        Parameter::Key => text(message.key.as_str()),
        Parameter::Type => optional(&message.event_type),
        Parameter::Shard => Value::Integer(i64::from(shard)),
        Parameter::Sequence => message.sequence.map_or(Value::Null, Value::Integer),
        Parameter::CorrelationId => optional(&message.correlation_id),
        Parameter::PublishedAt => message.published_at_ms.and_then(rfc3339).map_or(Value::Null, Value::Text),
        Parameter::Body => text(body(message)?),
        Parameter::Headers => {
            Value::Text(serde_json::to_string(&headers(message)).map_err(|_| BindError::Unwritable)?)
        }
        Parameter::Messages => Value::Text(batch(&[message], shard).map_err(|(_, error)| error)?),
    })
}

/// The value of `:messages`: a JSON array in the order given, one object per message whose fields are named
/// like the parameters. On failure the index of the message at fault.
///
/// # Errors
/// The first message whose body is not JSON.
pub fn batch(messages: &[&Message], shard: u32) -> Result<String, (usize, BindError)> {
    let mut out = String::from("[");
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&element(message, shard).map_err(|error| (index, error))?);
    }
    out.push(']');
    Ok(out)
}

#[derive(Serialize)]
struct Element<'a> {
    message_id: &'a str,
    key: &'a str,
    r#type: Option<&'a str>,
    shard: u32,
    sequence: Option<i64>,
    correlation_id: Option<&'a str>,
    published_at: Option<String>,
    headers: BTreeMap<&'a str, Header<'a>>,
    body: &'a RawValue,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Header<'a> {
    Integer(i64),
    Text(&'a str),
}

fn element(message: &Message, shard: u32) -> Result<String, BindError> {
    let element = Element {
        message_id: &message.message_id,
        key: message.key.as_str(),
        r#type: message.event_type.as_deref(),
        shard,
        sequence: message.sequence,
        correlation_id: message.correlation_id.as_deref(),
        published_at: message.published_at_ms.and_then(rfc3339),
        headers: headers(message),
        body: serde_json::from_str(body(message)?).map_err(|_| BindError::NotJson)?,
    };
    serde_json::to_string(&element).map_err(|_| BindError::Unwritable)
}

fn headers(message: &Message) -> BTreeMap<&str, Header<'_>> {
    let header = |value| match value {
        &HeaderValue::Integer(number) => Header::Integer(number),
        HeaderValue::Text(text) | HeaderValue::Other(text) => Header::Text(text),
    };
    message.headers.iter().map(|(name, value)| (name.as_str(), header(value))).collect()
}

fn body(message: &Message) -> Result<&str, BindError> {
    std::str::from_utf8(&message.body).map_err(|_| BindError::NotText)
}
