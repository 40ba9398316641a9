//! Collects the problems and warnings of one file.

use std::path::{Path, PathBuf};

use super::{problem::Problem, values::Where};

/// Problems and warnings of one file.
#[derive(Debug)]
pub(super) struct Report {
    pub file: PathBuf,
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
    pub advice: Vec<Problem>,
}

impl Report {
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), problems: Vec::new(), warnings: Vec::new(), advice: Vec::new() }
    }

    /// Something that makes the file unusable.
    pub(super) fn problem(
        &mut self,
        at: Where,
        path: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let problem = self.made(at, path, message.into(), help);
        self.problems.push(problem);
    }

    /// Something legal that is probably not meant.
    pub(super) fn warning(
        &mut self,
        at: Where,
        path: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let warning = self.made(at, path, message.into(), help);
        self.warnings.push(warning);
    }

    /// Something that works and has a price, or does not work on every broker.
    pub(super) fn advice(&mut self, at: Where, path: &str, message: impl Into<String>, help: Option<String>) {
        let advice = self.made(at, path, message.into(), help);
        self.advice.push(advice);
    }

    /// Puts the lists into the order of places.
    pub(super) fn sort(&mut self) {
        self.problems.sort_by_key(|problem| problem.place);
        self.warnings.sort_by_key(|problem| problem.place);
        self.advice.sort_by_key(|problem| problem.place);
    }

    fn made(&self, at: Where, path: &str, mut message: String, help: Option<String>) -> Problem {
        if let Some(anchor) = at.anchor {
            message.push_str(&format!(" (the value is written at {anchor})"));
        }
        Problem { file: self.file.clone(), place: at.place, path: path.to_owned(), message, help }
    }
}
