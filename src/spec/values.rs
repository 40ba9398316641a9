//! What was read from one file, by path, with places and printable forms.
//!
//! Every getter answers `None` when the value is absent or was already reported as a problem.

use std::{collections::BTreeMap, fmt, time::Duration};

use super::problem::Place;
use crate::domain::{
    consumer::{Dedup, Linger},
    key::{KeyRule, Pointer},
    observed,
    secret::Secret,
    template::Template,
    version::BrokerVersion,
};

/// Where a value stands: nowhere when a default stands in for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Where {
    pub place: Option<Place>,
    /// Where the alias at `place` points to.
    pub anchor: Option<Place>,
}

/// A value of the kind that its field's shape asks for.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// An optional value that is not there.
    Nothing,
    /// Names, URLs, files: never printed directly.
    Text(Secret),
    Count(u64),
    Duration(Duration),
    Range(Duration, Duration),
    Pointer(Pointer),
    Key(KeyRule),
    Template(Template),
    Choice(&'static str),
    True,
    Linger(Linger),
    Dedup(Dedup),
    Words(Vec<Secret>),
    Version(BrokerVersion),
    /// One queue argument.
    Argument(observed::Value),
}

/// The printable form of a value: unexpanded and masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    /// Numbers, booleans, sizes and durations: never in quotes.
    Plain(String),
    Text(String),
    List(Vec<String>),
}

/// One value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub at: Where,
    pub value: Value,
    pub shown: Shown,
}

/// All values of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    entries: BTreeMap<String, Entry>,
    /// The consumers that the file lists, with the values below their names; `None`: no such key.
    pub consumers: Option<Vec<(String, Where, Values)>>,
}

macro_rules! getter {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty) => {
        $(#[$doc])*
        pub(super) fn $name(&self, path: &str) -> Option<$type> {
            match &self.entries.get(path)?.value {
                Value::$variant(value) => Some(value.clone()),
                _ => None,
            }
        }
    };
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a getter asks for one kind; the table decides which it is"
)]
impl Values {
    getter!(text, Text, Secret);
    getter!(count, Count, u64);
    getter!(duration, Duration, Duration);
    getter!(pointer, Pointer, Pointer);
    getter!(key, Key, KeyRule);
    getter!(template, Template, Template);
    getter!(choice, Choice, &'static str);
    getter!(linger, Linger, Linger);
    getter!(dedup, Dedup, Dedup);
    getter!(words, Words, Vec<Secret>);
    getter!(version, Version, BrokerVersion);
    getter!(argument, Argument, observed::Value);

    /// Both ends of a range.
    pub(super) fn range(&self, path: &str) -> Option<(Duration, Duration)> {
        match self.entries.get(path)?.value {
            Value::Range(min, max) => Some((min, max)),
            _ => None,
        }
    }

    /// A count that fits 32 bits, as the table's bounds say.
    pub(super) fn count32(&self, path: &str) -> Option<u32> {
        u32::try_from(self.count(path)?).ok()
    }
}

impl Values {
    pub(super) fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    pub(super) fn insert(&mut self, path: String, entry: Entry) {
        self.entries.insert(path, entry);
    }

    /// The names below `path`, in order.
    pub(super) fn names_below(&self, path: &str) -> Vec<&str> {
        let prefix = format!("{path}.");
        self.entries.keys().filter_map(|key| key.strip_prefix(&prefix)).collect()
    }

    /// Where the value at `path` stands.
    pub(super) fn at(&self, path: &str) -> Where {
        self.entries.get(path).map_or_else(Where::default, |entry| entry.at)
    }

    /// Whether the file itself says something at `path`.
    pub(super) fn is_given(&self, path: &str) -> bool {
        self.entries.get(path).is_some_and(|entry| entry.at.place.is_some() && entry.shown != Shown::Nothing)
    }
}

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => place.fmt(f),
            None => f.write_str("default"),
        }
    }
}
