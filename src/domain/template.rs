//! Name templates such as `{topology}.{consumer}.g{generation}.{shard}`.
//!
//! Owns the placeholders and their expansion. Which template must name which placeholder is the
//! business of `spec`, which refuses templates that would collide.

mod reading;

use std::fmt;

use super::name::{self, Name};

pub use reading::Reading;

/// One placeholder of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The topology's name.
    Topology,
    /// The consumer's name.
    Consumer,
    /// The generation number.
    Generation,
    /// The shard number, from 0.
    Shard,
    /// The number of shards.
    Count,
}

impl Field {
    /// All fields, in the order in which errors list them.
    pub const ALL: [Self; 5] = [Self::Topology, Self::Consumer, Self::Generation, Self::Shard, Self::Count];

    /// The name between the braces.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Topology => "topology",
            Self::Consumer => "consumer",
            Self::Generation => "generation",
            Self::Shard => "shard",
            Self::Count => "count",
        }
    }
}

/// A parsed template; by default the empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(Field),
}

/// The values for one expansion.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// For `{topology}`.
    pub topology: &'a str,
    /// For `{consumer}`; empty where no consumer is meant.
    pub consumer: &'a str,
    /// For `{generation}`.
    pub generation: u32,
    /// For `{shard}`.
    pub shard: u32,
    /// For `{count}`.
    pub count: u32,
}

/// Why a template can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `{` without `}` or the other way round.
    #[error("unbalanced brace in a template")]
    Brace,
    /// A name in braces that is none of [`Field::ALL`].
    #[error(
        "unknown placeholder {{{0}}}; known are {{topology}}, {{consumer}}, {{generation}}, {{shard}}, {{count}}"
    )]
    Unknown(String),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Unbalanced braces and unknown placeholders.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '}']) {
            if rest[open..].starts_with('}') {
                return Err(Error::Brace);
            }
            if open > 0 {
                parts.push(Part::Text(rest[..open].to_owned()));
            }
            let tail = &rest[open + 1..];
            let close = tail.find('}').ok_or(Error::Brace)?;
            let word = &tail[..close];
            let field = Field::ALL.into_iter().find(|f| f.as_str() == word);
            parts.push(Part::Field(field.ok_or_else(|| Error::Unknown(word.to_owned()))?));
            rest = &tail[close + 1..];
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Ok(Self { text: text.to_owned(), parts })
    }

    /// Whether the template names `field`.
    #[must_use]
    pub fn names(&self, field: Field) -> bool {
        self.parts.contains(&Part::Field(field))
    }

    /// The template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Puts the values in.
    #[must_use]
    pub fn expand(&self, values: &Values<'_>) -> String {
        let mut out = String::with_capacity(self.text.len() + 16);
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Field(Field::Topology) => out.push_str(values.topology),
                Part::Field(Field::Consumer) => out.push_str(values.consumer),
                Part::Field(Field::Generation) => out.push_str(&values.generation.to_string()),
                Part::Field(Field::Shard) => out.push_str(&values.shard.to_string()),
                Part::Field(Field::Count) => out.push_str(&values.count.to_string()),
            }
        }
        out
    }

    /// Puts the template together from what `text` makes of its fixed parts and `field` of its placeholders.
    #[must_use]
    pub fn render(&self, text: impl Fn(&str) -> String, field: impl Fn(Field) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Text(fixed) => text(fixed),
            Part::Field(name) => field(*name),
        };
        self.parts.iter().map(part).collect()
    }

    /// Puts the values in and checks the result as a name.
    ///
    /// # Errors
    /// The expanded text breaks a rule of [`Name`].
    pub fn name(&self, values: &Values<'_>) -> Result<Name, name::Error> {
        Name::new(self.expand(values))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
