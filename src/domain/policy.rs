//! Policies and operator policies: rules that change queues and exchanges behind their declarations.
//!
//! Of the user policies that match an object only the one with the highest priority applies, and the same
//! holds among operator policies. What the API calls effective lags behind by seconds, so which policy
//! applies is computed here from the two lists, which are immediate.

use std::collections::BTreeMap;

use super::observed::Value;

/// What a policy may apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ApplyTo {
    /// Exchanges and queues.
    All,
    /// Exchanges.
    Exchanges,
    /// Queues of every type, streams among them.
    Queues,
    /// Classic queues.
    ClassicQueues,
    /// Quorum queues.
    QuorumQueues,
    /// Streams.
    Streams,
}

impl ApplyTo {
    /// The word of the management API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Exchanges => "exchanges",
            Self::Queues => "queues",
            Self::ClassicQueues => "classic_queues",
            Self::QuorumQueues => "quorum_queues",
            Self::Streams => "streams",
        }
    }

    /// Reads the word; `None` for one that is not known.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::All, Self::Exchanges, Self::Queues, Self::ClassicQueues, Self::QuorumQueues, Self::Streams]
            .into_iter()
            .find(|kind| kind.as_str() == word)
    }
}

/// Who made a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// A user with the policymaker tag.
    User,
    /// An administrator: it beats arguments and user policies.
    Operator,
}

/// One policy of a vhost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Name, unique among policies of the same author.
    pub name: String,
    /// Who made it.
    pub author: Author,
    /// Regular expression on names, not anchored.
    pub pattern: String,
    /// What it may apply to.
    pub apply_to: ApplyTo,
    /// The highest of the matching ones applies.
    pub priority: i64,
    /// Keys without the `x-` of arguments.
    pub definition: BTreeMap<String, Value>,
}
