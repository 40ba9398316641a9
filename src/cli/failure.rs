//! Any error to what a tired operator needs: code, chain of causes, safe to run again, next command.
//!
//! One exhaustive match per kind of error decides code and exit status; nothing branches on text. Texts
//! of brokers, databases and libraries are masked and cleaned here, once, for every output.

use std::error::Error;

use super::exit::Exit;
use crate::{
    domain::{code::Code, secret::mask},
    flows::world::LookError,
    ports::{
        link::{LinkError, LinkKind},
        store::{StoreError, StoreKind},
    },
    spec::Problem,
};

/// Why a command did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// How the process ends.
    pub exit: Exit,
    /// The stable number.
    pub code: Code,
    /// What failed.
    pub text: String,
    /// Several things to name, such as every problem of a file.
    pub details: Vec<String>,
    /// Why, down to the root.
    pub causes: Vec<String>,
    /// Whether running the same command again does no harm.
    pub safe_again: bool,
    /// The next command, when it is more precise than the code's own help.
    pub help: Option<String>,
}

impl Failure {
    /// A failure without a deeper cause, safe to run again.
    #[must_use]
    pub fn new(exit: Exit, code: Code, text: impl AsRef<str>) -> Self {
        Self {
            exit,
            code,
            text: clean(text.as_ref()),
            details: Vec::new(),
            causes: Vec::new(),
            safe_again: true,
            help: None,
        }
    }

    /// A failure whose text and causes are those of `error`.
    #[must_use]
    pub fn of(exit: Exit, code: Code, error: &dyn Error) -> Self {
        Self::new(exit, code, error.to_string()).because(error.source())
    }

    /// Bad usage: nothing was contacted.
    #[must_use]
    pub fn usage(code: Code, text: impl AsRef<str>) -> Self {
        Self::new(Exit::Usage, code, text)
    }

    /// Adds `cause` and everything below it.
    #[must_use]
    pub fn because(mut self, mut cause: Option<&dyn Error>) -> Self {
        while let Some(error) = cause {
            let text = clean(&error.to_string());
            let above = self.causes.last().unwrap_or(&self.text);
            // Some libraries repeat the source in their own text.
            if !text.is_empty() && !above.contains(&text) {
                self.causes.push(text);
            }
            cause = error.source();
        }
        self
    }

    /// Puts `error`, whose source is described by this failure, on top of it.
    #[must_use]
    pub fn below(self, error: &dyn Error) -> Self {
        Self { causes: Vec::new(), text: clean(&error.to_string()), ..self }.because(error.source())
    }

    /// Replaces the code's own help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says whether running the same command again does no harm.
    #[must_use]
    pub const fn safe_again(mut self, safe: bool) -> Self {
        self.safe_again = safe;
        self
    }
}

impl From<&[Problem]> for Failure {
    fn from(problems: &[Problem]) -> Self {
        let count = problems.len();
        let text = if count == 1 {
            "the files have a problem".to_owned()
        } else {
            format!("the files have {count} problems")
        };
        let details = problems.iter().map(|problem| clean(&format!("{problem:#}"))).collect();
        Self { details, ..Self::usage(Code::FileInvalid, text) }
    }
}

impl From<&LinkError> for Failure {
    fn from(error: &LinkError) -> Self {
        let (exit, code) = match error.kind {
            LinkKind::Unreachable | LinkKind::Lost => (Exit::Unreachable, Code::BrokerUnreachable),
            LinkKind::Refused => (Exit::Failed, Code::BrokerRefused),
            LinkKind::VhostMissing => (Exit::Failed, Code::VhostMissing),
            LinkKind::Tls => (Exit::Failed, Code::TlsFailed),
            LinkKind::ExchangeMissing => (Exit::Failed, Code::ExchangeMissing),
            LinkKind::QueueMissing => (Exit::Failed, Code::QueueMissing),
            LinkKind::Precondition => (Exit::Refused, Code::Immutable),
            LinkKind::Protocol => (Exit::Failed, Code::BrokerProtocol),
        };
        Self::of(exit, code, error)
    }
}

impl From<&StoreError> for Failure {
    fn from(error: &StoreError) -> Self {
        let (exit, code) = match error.kind {
            StoreKind::Unreachable => (Exit::Unreachable, Code::StoreUnreachable),
            StoreKind::Refused => (Exit::Failed, Code::StoreRefused),
            StoreKind::SchemaMissing => (Exit::Failed, Code::SchemaMissing),
            StoreKind::SchemaNewer => (Exit::Failed, Code::SchemaNewer),
            StoreKind::Handler => (Exit::Failed, Code::HandlerInvalid),
            StoreKind::Retryable | StoreKind::Fenced | StoreKind::Failed => (Exit::Failed, Code::StoreFailed),
        };
        Self::of(exit, code, error)
    }
}

impl From<LinkError> for Failure {
    fn from(error: LinkError) -> Self {
        Self::from(&error)
    }
}

impl From<&LookError> for Failure {
    fn from(error: &LookError) -> Self {
        match error {
            LookError::Broker(link) => Self::from(link),
            LookError::Store { source, .. } => Self::from(source).below(error),
        }
    }
}

impl From<LookError> for Failure {
    fn from(error: LookError) -> Self {
        Self::from(&error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::from(&error)
    }
}

/// `error` and its causes in one line.
#[must_use]
pub fn chain(error: &dyn Error) -> String {
    let failure = Failure::of(Exit::Failed, Code::Internal, error);
    [failure.text].into_iter().chain(failure.causes).collect::<Vec<_>>().join(": ")
}

/// Masks passwords and takes out what could move a terminal's cursor.
#[must_use]
pub fn clean(text: &str) -> String {
    let masked = mask(text.trim());
    if !masked.contains(char::is_control) {
        return masked;
    }
    let plain: String = masked.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
