//! YAML text to a tree in which every key and value knows its place.
//!
//! The only file that knows the YAML crate, so it can be exchanged here. Does not interpret anything:
//! numbers keep their text as written, and a key given twice stays twice for the reader to report.
//!
//! The crate's own excerpts are switched off: they would print the lines around an error, passwords
//! included.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{
    Error, MessageFormatter, Spanned, UserMessageFormatter, budget,
    options::{DuplicateKeyPolicy, MergeKeyPolicy},
};

use super::problem::Place;

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub place: Place,
    /// Where an alias points to, when the value was written there.
    pub anchor: Option<Place>,
    pub content: Content,
}

/// The kinds of value.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Null,
    Bool(bool),
    /// As written: `1.20`, `0x10` and thirty digits stay themselves.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// In file order, repeated keys included.
    Map(Vec<(Key, Node)>),
}

impl Content {
    /// What the value is called in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "empty",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
        }
    }
}

/// A key of a mapping.
#[derive(Debug, Clone)]
pub(super) struct Key {
    pub text: String,
    pub place: Place,
}

/// Why a text is no YAML, and where.
#[derive(Debug)]
pub(super) struct Broken {
    pub place: Option<Place>,
    pub message: String,
}

/// Reads one document; an empty text is [`Content::Null`].
pub(super) fn parse(text: &str) -> Result<Node, Broken> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        reject_unsupported_tags: true,
        merge_keys: MergeKeyPolicy::Error,
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        // An alias bomb of nine levels stops here within milliseconds.
        budget: budget! { max_nodes: 5000, max_depth: 32, max_aliases: 64 },
    };
    match serde_saphyr::from_str_with_options::<Spanned<Tree>>(text, options) {
        Ok(tree) => Ok(node(tree, text)),
        Err(error) => Err(broken(&error)),
    }
}

fn broken(error: &Error) -> Broken {
    let place = error.location().map(|at| place(&at));
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the crate has fifty kinds; these read badly or are ours"
    )]
    let message = match error {
        Error::AliasError { error, locations, .. } => {
            let inner = broken(error);
            let anchor = self::place(&locations.defined_location);
            return Broken { place, message: format!("{} (defined at {anchor})", inner.message) };
        }
        Error::MultipleDocuments { .. } => "a second document begins here; one file holds one".to_owned(),
        Error::UnsupportedTag { tag, .. } => format!("the tag {tag} has no meaning here"),
        Error::MergeKeyNotAllowed { .. } => {
            "merge keys (<<) are not supported; write the keys out".to_owned()
        }
        Error::NullIntoString { .. } => "a key is empty".to_owned(),
        Error::Budget { .. } => "the file is too large or too deeply nested".to_owned(),
        other => {
            // The parser's text may quote a character of the file, a control character among them.
            UserMessageFormatter.format_message(other).replace(char::is_control, " ")
        }
    };
    Broken { place, message }
}

fn place(at: &serde_saphyr::Location) -> Place {
    let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    Place { line: number(at.line()), column: number(at.column()) }
}

fn node(tree: Spanned<Tree>, text: &str) -> Node {
    let (referenced, defined) = (place(&tree.referenced), place(&tree.defined));
    let written = || {
        let span = tree.defined.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let end = start.checked_add(usize::try_from(span.byte_len()?).ok()?)?;
        text.get(start..end)
    };
    let content = match tree.value {
        Tree::Null => Content::Null,
        Tree::Bool(value) => Content::Bool(value),
        Tree::Number(value) => Content::Number(written().map_or(value, |text| text.trim().to_owned())),
        Tree::Text(value) => Content::Text(value),
        Tree::List(items) => Content::List(items.into_iter().map(|item| node(item, text)).collect()),
        Tree::Map(pairs) => Content::Map(
            pairs
                .into_iter()
                .map(|(key, value)| {
                    (Key { place: place(&key.referenced), text: key.value }, node(value, text))
                })
                .collect(),
        ),
    };
    Node { place: referenced, anchor: (defined != referenced).then_some(defined), content }
}

enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Tree>>),
    Map(Vec<(Spanned<String>, Spanned<Tree>)>),
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Tree, E> {
        Err(E::custom("binary values have no meaning here"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Tree, A::Error> {
        let mut map = Vec::new();
        while let Some(pair) = pairs.next_entry()? {
            if map.len() > 5000 {
                return Err(A::Error::custom("the mapping is too long"));
            }
            map.push(pair);
        }
        Ok(Tree::Map(map))
    }
}
