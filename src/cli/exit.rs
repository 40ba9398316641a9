//! Exit codes: the whole table.

use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, or nothing to do.
    Done,
    /// Failed.
    Failed,
    /// Bad usage or an invalid file; nothing was contacted.
    Usage,
    /// The answer is no: changes pending, unhealthy, some items failed.
    No,
    /// Broker or store unreachable.
    Unreachable,
    /// Refused for safety; a flag is needed.
    Refused,
    /// Interrupted after a clean drain.
    Interrupted,
}

impl Exit {
    /// Every way to end, in ascending order of the number.
    pub const ALL: [Self; 7] = [
        Self::Done,
        Self::Failed,
        Self::Usage,
        Self::No,
        Self::Unreachable,
        Self::Refused,
        Self::Interrupted,
    ];

    /// The number.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::No => 3,
            Self::Unreachable => 4,
            Self::Refused => 5,
            // 128 + SIGINT, as a shell would say it.
            Self::Interrupted => 130,
        }
    }

    /// One line: what it means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, or nothing to do",
            Self::Failed => "failed",
            Self::Usage => "bad usage or invalid file; nothing was contacted",
            Self::No => "the answer is no: changes pending, unhealthy, some items failed",
            Self::Unreachable => "broker or store unreachable",
            Self::Refused => "refused for safety; a flag is needed",
            Self::Interrupted => "interrupted after a clean drain",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}
