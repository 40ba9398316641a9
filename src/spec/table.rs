//! The language in which the two files are described: sections, fields, shapes and defaults.
//!
//! The tables in [`super::topology_table`] and [`super::consumer_table`] are the only list of keys.
//! Reader, "did you mean", `--expanded`, JSON Schema and the check of docs/topology.md all use them.

use std::time::Duration;

use crate::domain::template;

/// A mapping with a fixed set of keys.
#[derive(Debug)]
pub(super) struct Section {
    pub fields: &'static [Field],
    /// The field that a bare value in place of the mapping means: `shards: 8`.
    pub short: Option<&'static str>,
}

/// One key.
#[derive(Debug)]
pub(super) struct Field {
    pub key: &'static str,
    pub kind: Kind,
    pub default: Fallback,
    /// One sentence, shown by editors through the schema.
    pub doc: &'static str,
}

/// What stands for a value that is not in the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fallback {
    /// The value must be in the file.
    Required,
    /// Nothing; the sentence says what that means.
    Absent(&'static str),
    /// This text, read like the file's own.
    Is(&'static str),
    /// This text, which may expand to nothing; nothing means absent.
    Maybe(&'static str),
    /// The topology's name.
    TopologyName,
}

/// What stands below a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A mapping with its own fields.
    Section(&'static Section),
    /// A mapping from consumer names to this section.
    Consumers(&'static Section),
    /// A mapping from names of queue arguments to numbers, booleans and texts.
    Arguments,
    /// Another place for the field at this path.
    Alias(&'static str),
    /// A value.
    Value(Shape),
}

/// Which values a field takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A name that broker and database accept.
    Name,
    /// Any text that is not empty.
    Text,
    /// A URL with one of these beginnings, never shown.
    Url(&'static [&'static str]),
    /// A file, relative to the folder of the file that names it.
    File,
    /// An RFC 6901 JSON Pointer.
    Pointer,
    /// A pointer or `header:NAME`.
    Key,
    /// A name template that must name these placeholders.
    Template(&'static [template::Field]),
    /// One of these words; the second list names words that are refused, with the reason.
    Choice(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// `true`, the only accepted value, with the reason.
    True(&'static str),
    /// A whole number in this range.
    Count(u64, u64),
    /// A version of RabbitMQ.
    Version,
    /// Bytes in this range.
    Size(u64, u64),
    /// A duration in this range.
    Duration(Duration, Duration),
    /// `min..max`.
    Range,
    /// `auto` or a duration.
    Linger,
    /// `message_id`, `sequence` or a list of pointers.
    Dedup,
    /// A list of texts that is not empty.
    Words,
}

/// A field with a value.
pub(super) const fn field(key: &'static str, shape: Shape, default: Fallback, doc: &'static str) -> Field {
    Field { key, kind: Kind::Value(shape), default, doc }
}

/// A section; it is never required itself, its fields are.
pub(super) const fn section(key: &'static str, section: &'static Section, doc: &'static str) -> Field {
    Field { key, kind: Kind::Section(section), default: Fallback::Absent(""), doc }
}

impl Field {
    /// The section below the key, when there is one.
    pub(super) fn section(&self) -> Option<&'static Section> {
        if let Kind::Section(section) = self.kind { Some(section) } else { None }
    }
}

impl Section {
    /// The field with this key.
    pub(super) fn field(&self, key: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The field at a dotted path below this section.
    pub(super) fn at(&self, path: &str) -> Option<&'static Field> {
        let (head, rest) = match path.split_once('.') {
            Some((head, rest)) => (head, Some(rest)),
            None => (path, None),
        };
        let field = self.field(head)?;
        match (rest, field.section()) {
            (None, _) => Some(field),
            (Some(rest), Some(section)) => section.at(rest),
            (Some(_), None) => None,
        }
    }
}

/// Dotted paths of every field below `section`, consumers' fields as `consumers.NAME.…`.
pub(super) fn paths(section: &'static Section, prefix: &str, out: &mut Vec<String>) {
    for field in section.fields {
        let path = format!("{prefix}{}", field.key);
        match field.kind {
            Kind::Section(below) => paths(below, &format!("{path}."), out),
            Kind::Consumers(below) => {
                out.push(path.clone());
                paths(below, &format!("{path}.NAME."), out);
            }
            Kind::Arguments | Kind::Alias(_) | Kind::Value(_) => out.push(path),
        }
    }
}
