//! A handler's SQL: statements, their places, and the named parameters in them.
//!
//! One file must mean the same on two engines, so the text is read by a lexer of our own: quotes,
//! comments, dollar quotes, casts and slices are left alone, and nothing outside a parameter is ever
//! changed. Whether the statements are valid SQL is the database's judgement.
//!
//! Invariants: values are bound, never spliced into text; a handler can't end the transaction that makes
//! its effect and its claim one (effect-once).

mod check;
mod lexer;
mod name;
mod quote;
mod split;
mod statement;

use std::fmt;

use super::consumer::Mode;

pub use name::Parameter;
pub use statement::{Occurrence, Rendered, Statement};

/// Whose lexical rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// PostgreSQL, `standard_conforming_strings` on.
    Postgres,
    /// SQLite.
    Sqlite,
}

/// A line and a column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Something in the text that can't be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub text: String,
    /// How to mend it.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)?;
        self.help.iter().try_for_each(|help| write!(f, " ({help})"))
    }
}

/// The statements of a file without problems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// In the order in which they stand, empty ones left out.
    pub statements: Vec<Statement>,
    /// Whether they run once per batch: they name `:messages`.
    pub mode: Mode,
}

/// Reads a handler for `mode`.
///
/// # Errors
/// Every problem, in the order of the text.
pub fn handler(text: &str, dialect: Dialect, mode: Mode) -> Result<Script, Vec<Problem>> {
    read(text, dialect, Some(mode))
}

/// Reads a handler whose mode shows in its parameters: one that names `:messages` runs once per batch.
///
/// # Errors
/// Every problem, in the order of the text.
pub fn handler_of_any_mode(text: &str, dialect: Dialect) -> Result<Script, Vec<Problem>> {
    let batch = lexer::tokens(text, dialect).iter().any(|token| {
        token.kind == lexer::Kind::Parameter
            && &text[token.start + 1..token.end] == Parameter::Messages.as_str()
    });
    read(text, dialect, Some(if batch { Mode::Batch } else { Mode::Each }))
}

/// Reads a schema script: no parameters, and it can't end the transaction that it runs in.
///
/// # Errors
/// Every problem, in the order of the text.
pub fn schema(text: &str, dialect: Dialect) -> Result<Script, Vec<Problem>> {
    read(text, dialect, None)
}

fn read(text: &str, dialect: Dialect, mode: Option<Mode>) -> Result<Script, Vec<Problem>> {
    let tokens = lexer::tokens(text, dialect);
    let pieces = split::statements(text, &tokens, dialect);
    let problems = check::problems(text, &tokens, &pieces, dialect, mode);
    if !problems.is_empty() {
        return Err(problems);
    }
    let statements = pieces.iter().map(|piece| Statement::new(text, piece)).collect();
    Ok(Script { statements, mode: mode.unwrap_or(Mode::Each) })
}

/// The place of the character `position`, from 1, of `text`.
#[must_use]
pub fn place_of_character(text: &str, position: usize) -> Place {
    let offset = text.chars().take(position.saturating_sub(1)).map(char::len_utf8).sum();
    place(text, offset)
}

/// The place of the byte `offset` of `text`.
fn place(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Place { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}
