//! What `doctor` judges: facts about broker, store, user and clock in, named checks out.
//!
//! Every check says what was found, and what to do when it is not well. What could not be looked at is a
//! check too, never silence. Nothing here asks anybody; the facts are brought by the flow.

pub mod broker;
pub mod cluster;
pub mod facts;
pub mod rights;
pub mod store;
pub mod versions;
pub mod world;

use super::code::Code;

/// How a check came out, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Well.
    Ok,
    /// It could not be looked at.
    Unchecked,
    /// To be looked at; no promise is broken by it.
    Warning,
    /// A promise is broken, or the work can't go on.
    Problem,
}

impl Status {
    /// The word in JSON and text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unchecked => "unchecked",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// One look at one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, such as `store.fsync`; several findings may share it.
    pub name: &'static str,
    /// How it came out.
    pub status: Status,
    /// The finding's code; `None` when it is well.
    pub code: Option<Code>,
    /// What was found, or why nothing was.
    pub text: String,
    /// What to do; `None` when it is well.
    pub help: Option<String>,
}

impl Check {
    /// All is well.
    #[must_use]
    pub fn ok(name: &'static str, text: impl Into<String>) -> Self {
        Self { name, status: Status::Ok, code: None, text: text.into(), help: None }
    }

    /// Something to look at.
    #[must_use]
    pub fn warning(name: &'static str, code: Code, text: impl Into<String>) -> Self {
        Self::found(Status::Warning, name, code, text)
    }

    /// Something is wrong.
    #[must_use]
    pub fn problem(name: &'static str, code: Code, text: impl Into<String>) -> Self {
        Self::found(Status::Problem, name, code, text)
    }

    /// Nothing could be seen; `text` says why, and what is needed.
    #[must_use]
    pub fn unchecked(name: &'static str, text: impl Into<String>) -> Self {
        Self::found(Status::Unchecked, name, Code::Unchecked, text)
    }

    /// A finding with the code's own help.
    #[must_use]
    pub fn found(status: Status, name: &'static str, code: Code, text: impl Into<String>) -> Self {
        Self { name, status, code: Some(code), text: text.into(), help: Some(code.help().to_owned()) }
    }

    /// Replaces the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Result of `doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The topology's name.
    pub topology: String,
    /// Every check, in the order in which they were made.
    pub checks: Vec<Check>,
}

impl Diagnosis {
    /// Whether there is no problem; warnings and what could not be seen don't count.
    #[must_use]
    pub fn healthy(&self) -> bool {
        self.count(Status::Problem) == 0
    }

    /// How many checks came out like this.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|check| check.status == status).count()
    }

    /// Whether broker or store did not answer at all.
    #[must_use]
    pub fn unreachable(&self) -> bool {
        let silent = [Some(Code::BrokerUnreachable), Some(Code::StoreUnreachable)];
        self.checks.iter().any(|check| check.status == Status::Problem && silent.contains(&check.code))
    }
}

/// A few of `names`, and how many more there are.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 3;
    let names: Vec<&str> = names.into_iter().collect();
    let more = names.len().saturating_sub(SHOWN);
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
