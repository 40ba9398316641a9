//! What is wrong in a file, and where.
//!
//! Owns the place and the printed form `file:line:column: path: message`. Does not decide anything;
//! an excerpt of the file is never part of a problem, because a line may hold a password.

use std::{fmt, path::PathBuf};

/// A line and column, both counted from 1 in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One problem or warning of one file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file, as it was named on the command line or derived from it.
    pub file: PathBuf,
    /// Where in the file; `None` when the file as a whole is meant or a default is at fault.
    pub place: Option<Place>,
    /// The keys that lead to the value, joined by dots; empty for the file as a whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// The line, 0 when unknown.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.place.map_or(0, |place| place.line)
    }

    /// The column, 0 when unknown.
    #[must_use]
    pub fn column(&self) -> u32 {
        self.place.map_or(0, |place| place.column)
    }
}

impl fmt::Display for Problem {
    /// `file:line:column: path: message`; the alternate form adds the help in parentheses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(place) = self.place {
            write!(f, "{place}:")?;
        }
        if !self.path.is_empty() {
            write!(f, " {}:", self.path)?;
        }
        write!(f, " {}", self.message)?;
        match &self.help {
            Some(help) if f.alternate() => write!(f, " ({help})"),
            _ => Ok(()),
        }
    }
}
