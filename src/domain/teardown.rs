//! Taking a topology away: what is deleted and in which order, what stays, and what forbids it.
//!
//! Ours is what the file names: bindings from its exchange to its queues, its queues, the exchange and its
//! policy. Everything else stays, and so does what somebody else still uses. Counts are brought by the flow.
//!
//! Invariant: plan-is-what-runs (whether messages may go with their queues is part of each step).

use std::{collections::BTreeSet, fmt};

use super::{
    code::Code,
    desired::Desired,
    observed::{Observed, ObservedBinding, Orphan, QueueStats, Value},
    plan::{Action, ApprovedPlan, Change, Kind, Plan, Step},
    policy::Author,
    topology::Topology,
};

/// What is in a queue and who is attached to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueCount {
    /// The queue.
    pub queue: String,
    /// Its counts.
    pub stats: QueueStats,
}

impl QueueCount {
    /// Messages in it, as far as they can be seen.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.stats.ready.saturating_add(self.stats.unacked.unwrap_or(0))
    }
}

/// Why nothing may be deleted now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Messages would be lost.
    Messages {
        /// Messages waiting.
        ready: u64,
        /// Delivered and not acknowledged.
        unacked: u64,
        /// Queues that hold them.
        queues: usize,
    },
    /// Somebody consumes.
    Consumers {
        /// Queues that have consumers.
        queues: usize,
    },
    /// Unbinding ours would not end the arrival of messages.
    Fed {
        /// The bindings of others, as plans name them.
        bindings: Vec<String>,
    },
}

impl Refusal {
    /// Its code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Messages { .. } => Code::MessagesRemain,
            Self::Consumers { .. } => Code::InUse,
            Self::Fed { .. } => Code::ForeignBinding,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages { ready, unacked, queues } => {
                write!(f, "{ready} ready and {unacked} unacknowledged messages remain in {queues} queues")
            }
            Self::Consumers { queues } => write!(f, "consumers are attached to {queues} queues"),
            Self::Fed { bindings } => {
                write!(f, "bindings of others lead into the queues: {}", bindings.join(", "))
            }
        }
    }
}

/// What the counts forbid; `discard`: messages may be deleted.
#[must_use]
pub fn forbids(counts: &[QueueCount], discard: bool) -> Option<Refusal> {
    let holding: Vec<_> = counts.iter().filter(|count| count.messages() > 0).collect();
    if !discard && !holding.is_empty() {
        return Some(Refusal::Messages {
            ready: holding.iter().map(|count| count.stats.ready).sum(),
            unacked: holding.iter().filter_map(|count| count.stats.unacked).sum(),
            queues: holding.len(),
        });
    }
    let used = counts.iter().filter(|count| count.stats.consumers > 0).count();
    (used > 0).then_some(Refusal::Consumers { queues: used })
}

/// What is deleted, what stays, and what forbids it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Teardown {
    /// Deletions in execution order: bindings, so that producers are told, shard queues, dead-letter queues,
    /// exchange, policy. Bindings that can't be seen are in `ensure`.
    pub plan: Plan,
    /// Every queue that would be deleted.
    pub counts: Vec<QueueCount>,
    /// What stays, as sentences.
    pub kept: Vec<String>,
    /// Whether the exchange stays because others use it.
    pub exchange_in_use: bool,
    /// Why it must not be done now.
    pub refusal: Option<Refusal>,
}

impl Teardown {
    /// Approves it as shown; `None` when it must not be done.
    #[must_use]
    pub fn approve(self) -> Option<ApprovedPlan> {
        if self.refusal.is_some() { None } else { self.plan.approve() }
    }
}

/// The name of the policy that belongs to `topology`.
#[must_use]
pub fn policy_name(topology: &Topology) -> String {
    format!("topo.{}", topology.name)
}

/// What taking `topology` away means in the world that was observed. `counts` of the queues that exist;
/// `discard`: messages may be deleted with their queues.
#[must_use]
pub fn teardown(
    topology: &Topology,
    observed: &Observed,
    counts: Vec<QueueCount>,
    discard: bool,
) -> Teardown {
    let desired = Desired::of(topology);
    let mut down =
        Teardown { plan: Plan::default(), counts, kept: Vec::new(), exchange_in_use: false, refusal: None };
    let fed = bindings(&desired, observed, &mut down);
    let kept_dead_letters = dead_letters_of_others(observed);
    for queue in desired.queues.iter().chain(&desired.dead_letters) {
        let name = &queue.name;
        if !observed.queues.contains_key(name) {
            continue;
        }
        if kept_dead_letters.contains(name.as_str()) {
            down.kept.push(format!("queue {name}: queues of another generation dead-letter into it"));
            down.counts.retain(|count| count.queue != *name);
            continue;
        }
        delete(Kind::Queue, name, Step::DeleteQueue { name: name.clone(), discard }, &mut down.plan);
    }
    if observed.exchange.is_some() {
        let name = desired.exchange.name;
        if down.exchange_in_use {
            down.kept.push(format!("exchange {name}: bindings of others use it"));
        } else {
            delete(Kind::Exchange, &name, Step::DeleteExchange { name: name.clone() }, &mut down.plan);
        }
    }
    let policy = policy_name(topology);
    if observed.policies.iter().flatten().any(|p| p.author == Author::User && p.name == policy) {
        delete(Kind::Policy, &policy, Step::DeletePolicy { name: policy.clone() }, &mut down.plan);
    }
    if !observed.orphans.is_empty() {
        let count = observed.orphans.len();
        down.kept
            .push(format!("{count} queues of other generations or of consumers that the file does not list"));
    }
    down.refusal = forbids(&down.counts, discard);
    if down.refusal.is_none() && !discard && !fed.is_empty() {
        down.refusal = Some(Refusal::Fed { bindings: fed });
    }
    down
}

/// The bindings' part; gives those of others that lead into our queues.
fn bindings(desired: &Desired, observed: &Observed, down: &mut Teardown) -> Vec<String> {
    let exchange = desired.exchange.name.as_str();
    let ours: BTreeSet<&str> = desired.all_queues().map(|queue| queue.name.as_str()).collect();
    let unbind = |queue: &str, routing_key: &str| Step::Unbind {
        exchange: exchange.to_owned(),
        queue: queue.to_owned(),
        routing_key: routing_key.to_owned(),
    };
    let Some(found) = &observed.bindings else {
        for binding in &desired.bindings {
            if observed.exchange.is_some() && observed.queues.contains_key(&binding.queue) {
                down.plan.ensure.push(unbind(&binding.queue, &binding.routing_key));
            }
        }
        down.plan.unchecked.push("bindings can't be seen through AMQP alone: those of the file are removed, and those of others into its queues stay unnoticed".to_owned());
        return Vec::new();
    };
    let mut fed = Vec::new();
    for binding in found.iter().collect::<BTreeSet<_>>() {
        let into_ours = binding.to_queue && ours.contains(binding.destination.as_str());
        if binding.source == exchange && into_ours && !binding.has_arguments {
            let step = unbind(&binding.destination, &binding.routing_key);
            delete(Kind::Binding, &shown(binding), step, &mut down.plan);
            continue;
        }
        let hazard = match (into_ours, binding.source == exchange) {
            (true, _) => Some(Code::ForeignBinding),
            (false, true) => Some(Code::ForeignRoute),
            // Into the exchange: what comes that way has no queue any more.
            (false, false) => None,
        };
        if into_ours {
            fed.push(shown(binding));
        } else {
            down.exchange_in_use = observed.exchange.is_some();
        }
        let line = (Action::Foreign, hazard, None);
        push(Kind::Binding, &shown(binding), line, &mut down.plan);
    }
    fed
}

fn shown(binding: &ObservedBinding) -> String {
    let ObservedBinding { source, destination, to_queue, routing_key, has_arguments } = binding;
    let kind = if *to_queue { "" } else { "exchange " };
    let arguments = if *has_arguments { " with arguments" } else { "" };
    format!("{source} -> {kind}{destination} ({routing_key}){arguments}")
}

/// The dead-letter queues that queues outside the file still name.
fn dead_letters_of_others(observed: &Observed) -> BTreeSet<&str> {
    let target = |orphan: &Orphan| orphan.details.arguments.get("x-dead-letter-routing-key").cloned();
    let targets: BTreeSet<Value> = observed.orphans.values().filter_map(target).collect();
    let named = |name: &str| targets.contains(&Value::Text(name.to_owned()));
    observed.queues.keys().map(String::as_str).filter(|name| named(name)).collect()
}

fn delete(kind: Kind, name: &str, step: Step, plan: &mut Plan) {
    push(kind, name, (Action::Delete, None, Some(step)), plan);
}

fn push(
    kind: Kind,
    name: &str,
    (action, hazard, step): (Action, Option<Code>, Option<Step>),
    plan: &mut Plan,
) {
    plan.changes.push(Change { action, kind, name: name.to_owned(), fields: Vec::new(), hazard, step });
}
