//! One log line: a fixed order of fields, as logfmt or as JSON.
//!
//! Names and order are part of the contract, the same for producer and consumer; absent fields are left
//! out. Values come from messages of strangers: everything that could end a value or a line early is
//! quoted and escaped, so that no message can forge a log line.

use std::fmt::Write as _;

/// The form of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `name=value` pairs, quoted where needed.
    Text,
    /// One JSON object.
    Json,
}

/// A value of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Text.
    Text(&'a str),
    /// A count or number.
    Number(u64),
    /// Milliseconds with a fraction.
    Millis(f64),
    /// Yes or no.
    Flag(bool),
}

/// Everything a line can say, in the order in which it says it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line<'a> {
    /// RFC 3339 in UTC, milliseconds.
    pub timestamp: &'a str,
    /// `DEBUG`, `INFO`, `WARN` or `ERROR`.
    pub level: &'a str,
    /// Topology name.
    pub topology: Option<&'a str>,
    /// Consumer name.
    pub consumer: Option<&'a str>,
    /// Shard number.
    pub shard: Option<u32>,
    /// Message id.
    pub message_id: Option<&'a str>,
    /// Event type.
    pub event_type: Option<&'a str>,
    /// The ordering key.
    pub key: Option<&'a str>,
    /// Trace id.
    pub trace_id: Option<&'a str>,
    /// Correlation id.
    pub correlation_id: Option<&'a str>,
    /// Queue or routing key.
    pub destination: Option<&'a str>,
    /// Attempt, from 1.
    pub attempt: Option<u32>,
    /// The broker's flag.
    pub redelivered: Option<bool>,
    /// Status word.
    pub status: Option<&'a str>,
    /// Duration in milliseconds.
    pub duration_ms: Option<f64>,
    /// Reason of a failure.
    pub error: Option<&'a str>,
    /// Free text.
    pub message: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// The present fields with their names, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Value<'a>)> {
        let text = |value: Option<&'a str>| value.map(Value::Text);
        [
            ("timestamp", Some(Value::Text(self.timestamp))),
            ("level", Some(Value::Text(self.level))),
            ("service", Some(Value::Text("topo"))),
            ("product", Some(Value::Text("rabbitmq"))),
            ("topology", text(self.topology)),
            ("consumer", text(self.consumer)),
            ("shard", self.shard.map(|n| Value::Number(n.into()))),
            ("messageId", text(self.message_id)),
            ("eventType", text(self.event_type)),
            ("aggregateId", text(self.key)),
            ("traceId", text(self.trace_id)),
            ("correlationId", text(self.correlation_id)),
            ("destination", text(self.destination)),
            ("attempt", self.attempt.map(|n| Value::Number(n.into()))),
            ("redelivered", self.redelivered.map(Value::Flag)),
            ("status", text(self.status)),
            ("durationMs", self.duration_ms.map(Value::Millis)),
            ("errorType", text(self.error)),
            ("message", text(self.message)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// The line in `form`, newline included.
    #[must_use]
    pub fn render(&self, form: Form) -> String {
        let mut out = String::with_capacity(320);
        if form == Form::Json {
            out.push('{');
        }
        for (index, (name, value)) in self.fields().enumerate() {
            match form {
                Form::Text => {
                    if index > 0 {
                        out.push(' ');
                    }
                    out.push_str(name);
                    out.push('=');
                    push_text(&mut out, value);
                }
                Form::Json => {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push('"');
                    out.push_str(name);
                    out.push_str("\":");
                    push_json(&mut out, value);
                }
            }
        }
        if form == Form::Json {
            out.push('}');
        }
        out.push('\n');
        out
    }
}

fn push_text(out: &mut String, value: Value<'_>) {
    match value {
        Value::Text(text) if needs_quotes(text) => push_quoted(out, text),
        Value::Text(text) => out.push_str(text),
        Value::Number(_) | Value::Millis(_) | Value::Flag(_) => push_plain(out, value),
    }
}

fn push_json(out: &mut String, value: Value<'_>) {
    match value {
        Value::Text(text) => push_quoted(out, text),
        Value::Number(_) | Value::Millis(_) | Value::Flag(_) => push_plain(out, value),
    }
}

/// Writing into a `String` can't fail.
fn push_plain(out: &mut String, value: Value<'_>) {
    let written = match value {
        Value::Text(text) => out.write_str(text),
        Value::Number(number) => write!(out, "{number}"),
        Value::Millis(millis) => write!(out, "{millis:.3}"),
        Value::Flag(flag) => write!(out, "{flag}"),
    };
    debug_assert!(written.is_ok());
}

fn needs_quotes(text: &str) -> bool {
    text.is_empty() || text.chars().any(|c| matches!(c, ' ' | '=' | '"' | '\\') || must_escape(c))
}

/// Control characters, and the marks that make a terminal or an editor break or turn a line.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A JSON string, which is also how the text form quotes: one rule to read back.
fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // All of these lie in the basic plane, so four digits are enough.
            c if must_escape(c) => {
                let written = write!(out, "\\u{:04x}", u32::from(c));
                debug_assert!(written.is_ok());
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
