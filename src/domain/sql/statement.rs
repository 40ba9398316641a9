//! One statement: its text as written, its parameters, and the form with numbers that PostgreSQL takes.

use super::{Parameter, Place, place, split::Piece};

/// A parameter at one place of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrence {
    /// Which one.
    pub parameter: Parameter,
    /// First byte within the statement: its colon.
    pub start: usize,
    /// After its last byte.
    pub end: usize,
}

/// A statement of a handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    text: String,
    place: Place,
    occurrences: Vec<Occurrence>,
}

/// A statement with `$1 $2 …`, one number for every occurrence: one name may be a bigint here and text there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub sql: String,
    /// What `$1`, `$2` … stand for.
    pub parameters: Vec<Parameter>,
}

impl Statement {
    pub(super) fn new(text: &str, piece: &Piece) -> Self {
        let occurrences = piece
            .parameters
            .iter()
            .filter_map(|token| {
                let parameter = Parameter::parse(&text[token.start + 1..token.end])?;
                Some(Occurrence { parameter, start: token.start - piece.start, end: token.end - piece.start })
            })
            .collect();
        Self { text: text[piece.start..piece.end].to_owned(), place: place(text, piece.start), occurrences }
    }

    /// The text as written, without its semicolon.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it begins in its file.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Its parameters in the order of the text.
    #[must_use]
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The place in the file of the byte `offset` of this statement.
    #[must_use]
    pub fn place_at(&self, offset: usize) -> Place {
        let within = place(&self.text, offset);
        let column = if within.line == 1 { self.place.column + within.column - 1 } else { within.column };
        Place { line: self.place.line + within.line - 1, column }
    }

    /// The form with numbers; everything outside the parameters is kept byte for byte.
    #[must_use]
    pub fn numbered(&self) -> Rendered {
        let mut sql = String::with_capacity(self.text.len());
        let mut kept = 0;
        for (index, occurrence) in self.occurrences.iter().enumerate() {
            sql.push_str(&self.text[kept..occurrence.start]);
            sql.push_str(&format!("${}", index + 1));
            kept = occurrence.end;
        }
        sql.push_str(&self.text[kept..]);
        Rendered { sql, parameters: self.occurrences.iter().map(|o| o.parameter).collect() }
    }

    /// The place in the file of the character `position`, from 1, of the form with numbers.
    #[must_use]
    pub fn place_in_numbered(&self, position: usize) -> Place {
        let mut left = position.saturating_sub(1);
        let mut kept = 0;
        for (index, occurrence) in self.occurrences.iter().enumerate() {
            let number = 1 + (index + 1).to_string().len();
            let before = self.text[kept..occurrence.start].chars().count();
            if left < before + number {
                let offset =
                    if left < before { kept + bytes(&self.text[kept..], left) } else { occurrence.start };
                return self.place_at(offset);
            }
            left -= before + number;
            kept = occurrence.end;
        }
        self.place_at(kept + bytes(&self.text[kept..], left))
    }
}

/// Length in bytes of the first `characters` of `text`.
fn bytes(text: &str, characters: usize) -> usize {
    text.chars().take(characters).map(char::len_utf8).sum()
}
