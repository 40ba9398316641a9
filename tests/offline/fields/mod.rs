//! Keys and fields out of JSON lines: what a key is, what is refused, and that nothing else is touched.

mod envelope;
mod keys;
mod lines;
mod props;

use topo::{
    adapters::json::JsonFields,
    domain::{
        key::{KeyRule, Pointer},
        topology::MessageFields,
    },
    ports::fields::FieldReader,
};

pub(crate) fn pointer(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

pub(crate) fn reader(key: &str) -> JsonFields {
    JsonFields::new(&KeyRule::parse(key).unwrap(), &MessageFields::default())
}

/// The key, or what is said about it.
pub(crate) fn key(line: &str) -> String {
    match reader("/k").read(line.as_bytes()) {
        Ok(fields) => format!("key {}", fields.key.unwrap()),
        Err(error) => error.to_string(),
    }
}
