//! Templates read backwards: which values a name may have been made of.
//!
//! Owns the search and what makes a reading doubtful. What a reading proves is not known here.

use super::{Field, Part, Template};

/// One way to read a name as an expansion of a template; `None` for what the template does not name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// The consumer.
    pub consumer: Option<String>,
    /// The generation number.
    pub generation: Option<u32>,
    /// The shard number.
    pub shard: Option<u32>,
    /// The number of shards.
    pub count: Option<u32>,
}

impl Template {
    /// The ways to read `name` as an expansion for this topology; more than one when a consumer's name may
    /// hold what also separates the fields.
    #[must_use]
    pub fn readings(&self, name: &str, topology: &str) -> Vec<Reading> {
        let mut found = Vec::new();
        read(&self.parts, name, topology, &Reading::default(), &mut found);
        found
    }

    /// Whether `text` holds a character that also separates the fields of this template, or the template
    /// has fields without anything between them. Then a name has more than one reading.
    #[must_use]
    pub fn is_ambiguous(&self, text: &str) -> bool {
        let literal = |character| {
            self.parts.iter().any(|part| matches!(part, Part::Text(literal) if literal.contains(character)))
        };
        let fields = |pair: &[Part]| pair.iter().all(|part| matches!(part, Part::Field(_)));
        self.parts.windows(2).any(fields) || text.chars().any(|c| !c.is_alphanumeric() && literal(c))
    }
}

fn read(parts: &[Part], rest: &str, topology: &str, so_far: &Reading, found: &mut Vec<Reading>) {
    let Some((part, parts)) = parts.split_first() else {
        if rest.is_empty() {
            found.push(so_far.clone());
        }
        return;
    };
    match part {
        Part::Text(_) | Part::Field(Field::Topology) => {
            let text = if let Part::Text(text) = part { text } else { topology };
            if let Some(rest) = rest.strip_prefix(text) {
                read(parts, rest, topology, so_far, found);
            }
        }
        Part::Field(Field::Consumer) => {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends {
                let consumer = Some(rest[..end].to_owned());
                if so_far.consumer.is_none() || so_far.consumer == consumer {
                    read(parts, &rest[end..], topology, &Reading { consumer, ..so_far.clone() }, found);
                }
            }
        }
        Part::Field(field) => {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            // A template may have text of digits behind the number.
            for end in 1..=digits {
                let number =
                    rest[..end].parse().ok().filter(|number: &u32| number.to_string() == rest[..end]);
                let mut next = so_far.clone();
                let slot = match field {
                    Field::Generation => &mut next.generation,
                    Field::Shard => &mut next.shard,
                    Field::Count | Field::Topology | Field::Consumer => &mut next.count,
                };
                if number.is_some() && (slot.is_none() || *slot == number) {
                    *slot = number;
                    read(parts, &rest[end..], topology, &next, found);
                }
            }
        }
    }
}
