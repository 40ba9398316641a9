//! An imported topology as the text of a topology.yaml.
//!
//! Everything that was found is written out, defaults too: the file describes what is there, whatever a later
//! version's defaults are. The address is never written, because it may hold a password.

use super::{expanded::scalar, size};
use crate::domain::{hash::HashKind, import::Draft, key::KeyRule, observed::Value};

/// Prints `draft`; `broker` as it names itself. What the broker can't know is marked for checking.
#[must_use]
pub fn print(draft: &Draft, broker: Option<&str>, key: &KeyRule, hash: HashKind) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let broker = broker.unwrap_or("a broker that does not tell its version");
    line(format!("# Imported from a live exchange on {}.", broker.replace(char::is_control, " ")));
    line("# The address of the broker is in TOPO_BROKER_URL, that of its management API in".to_owned());
    line(
        "# TOPO_MANAGEMENT_URL when it is not on the same host; see `broker` in docs/topology.md.".to_owned(),
    );
    line(format!("topology: {}", written(&draft.name)));
    line(format!("exchange: {{name: {}, type: {}}}", written(&draft.name), draft.exchange.as_str()));
    line("shards:".to_owned());
    line(format!("  count: {}", draft.count));
    line(format!("  generation: {}", draft.generation));
    line(
        "  # TO CHECK: the broker knows neither key nor hash. Both must be what the producers use."
            .to_owned(),
    );
    line(format!("  key: {}", written(&key.to_string())));
    line(format!("  hash: {hash}"));
    line("  # TO CHECK before a reshard: which number is which was read from the names.".to_owned());
    line(format!("  routing_key: {}", written(&draft.routing_key)));
    line("queues:".to_owned());
    line(format!("  name: {}", written(&draft.queue)));
    line(format!("  type: {}", draft.kind.as_str()));
    if let Some(limit) = draft.delivery_limit {
        line(format!("  delivery_limit: {limit}"));
    }
    if let Some(length) = draft.max_length {
        line(format!("  max_length: {length}"));
    }
    if let Some(bytes) = draft.max_length_bytes {
        line(format!("  max_length_bytes: {}", size::print(bytes)));
    }
    line(format!("  dead_letter: {}", written(&draft.dead_letter)));
    if !draft.arguments.is_empty() {
        line("  arguments:".to_owned());
        for (name, value) in &draft.arguments {
            let value = match value {
                Value::Integer(number) => number.to_string(),
                Value::Bool(flag) => flag.to_string(),
                Value::Text(text) | Value::Other(text) => quoted(text),
            };
            line(format!("    {}: {value}", scalar(name)));
        }
    }
    line(
        "# Somebody else's programs, as long as consumers/NAME/ holds neither a handler nor a schema: their"
            .to_owned(),
    );
    line("# queues are looked after, and no store is needed.".to_owned());
    line("consumers:".to_owned());
    for consumer in &draft.consumers {
        // Keys are taken as written; references are expanded in values only.
        line(format!("  {}: {{}}", scalar(consumer)));
    }
    out
}

/// A value that reads back as this text: a `$` begins a reference otherwise.
fn written(text: &str) -> String {
    scalar(&text.replace('$', "$$"))
}

/// A text that stays one, even if it looks like a number.
fn quoted(text: &str) -> String {
    let plain = written(text);
    if plain.starts_with('"') { plain } else { format!("\"{plain}\"") }
}
