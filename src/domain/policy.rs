//! Policies and operator policies: rules that change queues and exchanges behind their declarations.
//!
//! Of the user policies that match an object only the one with the highest priority applies, and the same
//! holds among operator policies. What the API calls effective lags behind by seconds, so which policy
//! applies is computed here from the two lists, which are immediate.

use std::{cmp::Reverse, collections::BTreeMap};

use super::{
    lint::policy::is_applicable,
    observed::Value,
    pattern::Pattern,
    topology::{QueueKind, Topology},
    version::BrokerVersion,
};

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

/// The name of the one user policy that topo makes: it carries limits that were changed after the queues
/// were declared.
#[must_use]
pub fn own_policy_name(topology: &Topology) -> String {
    format!("topo.{}", topology.name)
}

/// An object that policies may apply to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// An exchange of this name.
    Exchange(&'a str),
    /// A queue of this name and type.
    Queue(&'a str, QueueKind),
}

impl Target<'_> {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &str {
        match self {
            Self::Exchange(name) | Self::Queue(name, _) => name,
        }
    }
}

/// The policies of a vhost, ready to be matched with many names.
#[derive(Debug)]
pub struct Rules<'a> {
    /// By falling priority.
    rules: Vec<(&'a Policy, Pattern)>,
    version: Option<BrokerVersion>,
}

/// A policy that applies to an object, or may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// Why it may also not apply; `None`: it does.
    pub doubt: Option<Doubt>,
}

/// Why nobody can say whether a policy applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// Its pattern can't be judged here.
    Pattern,
    /// Another one of the same author matches with the same priority; the broker takes either.
    Tie,
}

impl<'a> Rules<'a> {
    /// Compiles the patterns. `version` of the broker, when it is known.
    #[must_use]
    pub fn of(policies: &'a [Policy], version: Option<BrokerVersion>) -> Self {
        let mut rules: Vec<_> =
            policies.iter().map(|policy| (policy, Pattern::new(&policy.pattern))).collect();
        rules.sort_by_key(|(policy, _)| Reverse(policy.priority));
        Self { rules, version }
    }

    /// The policy of `author` that applies to `target`, after those that may.
    #[must_use]
    pub fn applying(&self, author: Author, target: Target<'_>) -> Vec<Match<'a>> {
        let mut found: Vec<Match<'a>> = Vec::new();
        let mut certain = None;
        for (policy, pattern) in &self.rules {
            if certain.is_some_and(|priority| priority > policy.priority) {
                break;
            }
            if policy.author != author || !policy.is_for(target, self.version) {
                continue;
            }
            match pattern.matches(target.name()) {
                Some(false) => {}
                Some(true) => {
                    certain = Some(policy.priority);
                    found.push(Match { policy, doubt: None });
                }
                None => found.push(Match { policy, doubt: Some(Doubt::Pattern) }),
            }
        }
        let tied = found.iter().filter(|found| found.doubt.is_none()).count() > 1;
        for found in found.iter_mut().filter(|found| tied && found.doubt.is_none()) {
            found.doubt = Some(Doubt::Tie);
        }
        found
    }
}

impl Policy {
    /// Whether it may apply to objects of this kind. A single key that a queue type does not know makes the
    /// broker pass over the whole policy.
    #[must_use]
    pub fn is_for(&self, target: Target<'_>, version: Option<BrokerVersion>) -> bool {
        let all = self.apply_to == ApplyTo::All;
        let queues = |own| all || self.apply_to == ApplyTo::Queues || self.apply_to == own;
        let knows = |kind: QueueKind| is_applicable(&self.definition, kind.into(), version);
        match target {
            Target::Exchange(_) => all || self.apply_to == ApplyTo::Exchanges,
            Target::Queue(_, kind @ QueueKind::Quorum) => queues(ApplyTo::QuorumQueues) && knows(kind),
            Target::Queue(_, kind @ QueueKind::Classic) => queues(ApplyTo::ClassicQueues) && knows(kind),
        }
    }
}
