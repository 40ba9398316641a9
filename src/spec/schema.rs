//! JSON Schema (draft 2020-12) of the two files, made from the tables.
//!
//! Editors use it for completion and early errors. It says less than the reader: rules between values
//! and the forms inside of texts are judged by `topo check` alone.

use serde_json::{Map, Value, json};

use crate::domain::lint::{
    QueueType, arguments as lint,
    row::{Answer, Meaning, Row},
};

use super::{
    consumer_table::CONSUMER,
    table::{self, Fallback, Kind, Section, Shape},
    topology_table::TOPOLOGY,
};

/// The schema of topology.yaml.
#[must_use]
pub fn topology_schema() -> Value {
    root(&TOPOLOGY, "topology.yaml")
}

/// The schema of consumers/NAME/consumer.yaml.
#[must_use]
pub fn consumer_schema() -> Value {
    root(&CONSUMER, "consumer.yaml")
}

/// The dotted paths of every key of both files, `(topology.yaml, consumer.yaml)`.
#[must_use]
pub fn keys() -> (Vec<String>, Vec<String>) {
    let (mut topology, mut consumer) = (Vec::new(), Vec::new());
    table::paths(&TOPOLOGY, "", &mut topology);
    table::paths(&CONSUMER, "", &mut consumer);
    (topology, consumer)
}

fn root(section: &'static Section, title: &str) -> Value {
    let mut schema = mapping(section);
    schema.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    schema.insert("title".to_owned(), json!(title));
    // The required keys of the top level; `shards` may be a number, so its own are not.
    let required = section.fields.iter().filter(|field| match field.kind {
        Kind::Section(below) => below.fields.iter().any(|f| matches!(f.default, Fallback::Required)),
        Kind::Consumers(_) | Kind::Arguments | Kind::Alias(_) | Kind::Value(_) => {
            matches!(field.default, Fallback::Required)
        }
    });
    let required: Vec<_> = required.map(|field| field.key).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    Value::Object(schema)
}

fn mapping(section: &'static Section) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in section.fields {
        let mut schema = below(field.kind);
        schema.insert("description".to_owned(), json!(field.doc));
        match field.default {
            Fallback::Is(text) | Fallback::Maybe(text) => {
                schema.insert("default".to_owned(), default(field.kind, text));
            }
            Fallback::Absent("") | Fallback::Required => {}
            Fallback::Absent(meaning) => without(&mut schema, meaning),
            Fallback::TopologyName => without(&mut schema, "the topology's name"),
        }
        properties.insert(field.key.to_owned(), Value::Object(schema));
    }
    object(json!({"type": "object", "properties": properties, "additionalProperties": false}))
}

/// Says what the absence of a key means, which is no value that a schema's default could be.
fn without(schema: &mut Map<String, Value>, meaning: &str) {
    schema.insert("$comment".to_owned(), json!(format!("without it: {meaning}")));
}

fn below(kind: Kind) -> Map<String, Value> {
    object(match kind {
        Kind::Section(section) => {
            let whole = Value::Object(mapping(section));
            match section.short.and_then(|short| section.field(short)) {
                Some(field) => json!({"anyOf": [whole, below(field.kind), {"type": "null"}]}),
                None => json!({"anyOf": [whole, {"type": "null"}]}),
            }
        }
        Kind::Consumers(section) => json!({
            "type": ["object", "null"],
            "additionalProperties": {"anyOf": [Value::Object(mapping(section)), {"type": "null"}]},
        }),
        Kind::Arguments => arguments(),
        Kind::Alias(path) => return TOPOLOGY.at(path).map_or_else(Map::new, |field| below(field.kind)),
        Kind::Value(shape) => value(shape),
    })
}

/// The names that may stand there; which of them fit a queue type and a version is judged by `topo check`.
fn arguments() -> Value {
    let works = |row: &&Row| {
        let mut kinds = [QueueType::Classic, QueueType::Quorum].into_iter();
        kinds.any(|kind| row.since(kind).iter().any(|(_, answer)| *answer == Answer::Works))
    };
    let free = lint::rows().iter().filter(|row| matches!(row.meaning, Meaning::Free(_))).filter(works);
    let free = free.map(|row| row.name);
    json!({
        "type": ["object", "null"],
        "propertyNames": {"enum": free.collect::<Vec<_>>()},
        "additionalProperties": {"type": ["string", "integer", "boolean"]},
    })
}

fn value(shape: Shape) -> Value {
    // Any value may come from the environment.
    let reference = json!({"type": "string", "pattern": "\\$\\{"});
    match shape {
        Shape::Name | Shape::Text | Shape::File => json!({"type": ["string", "number"], "minLength": 1}),
        Shape::Url(_) | Shape::Duration(..) | Shape::Range | Shape::Linger | Shape::Template(_) => {
            json!({"type": "string", "minLength": 1})
        }
        Shape::Pointer => json!({"anyOf": [{"type": "string", "pattern": "^/"}, reference]}),
        Shape::Key => json!({"anyOf": [{"type": "string", "pattern": "^(/|header:.)"}, reference]}),
        Shape::Choice(words, _) => json!({"anyOf": [{"enum": words}, reference]}),
        Shape::True(_) => json!({"anyOf": [{"const": true}, reference]}),
        Shape::Count(min, max) => {
            json!({"anyOf": [{"type": "integer", "minimum": min, "maximum": max}, reference]})
        }
        Shape::Version => json!({"type": ["string", "number"]}),
        Shape::Size(min, max) => json!({"anyOf": [
            {"type": "integer", "minimum": min, "maximum": max},
            {"type": "string", "pattern": "^[0-9]+ *([kKmMgGtT][iI]?)?[bB]$"},
            reference,
        ]}),
        Shape::Dedup => json!({"anyOf": [
            {"enum": ["message_id", "sequence"]},
            {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^/"}},
            reference,
        ]}),
        Shape::Words => json!({"type": "array", "minItems": 1, "items": {"type": ["string", "number"]}}),
    }
}

fn default(kind: Kind, text: &str) -> Value {
    if let Kind::Value(Shape::Count(..) | Shape::True(_)) = kind {
        // Numbers and booleans are written the same in JSON.
        return serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    }
    json!(text)
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(map) = value { map } else { Map::new() }
}
