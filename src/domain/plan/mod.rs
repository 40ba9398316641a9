//! A plan: the one value that is computed, shown, approved and executed.
//!
//! Invariant: plan-is-what-runs. An [`ApprovedPlan`] can only be made from a shown [`Plan`], and applying
//! takes nothing else.

mod step;

pub use step::{Executor, Step};

use super::{code::Code, observed::Value};

/// What is done to one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It does not exist yet.
    Create,
    /// It can be changed in place.
    Update,
    /// Its arguments are fixed; it would have to be made anew, which is never done here.
    Replace,
    /// It is removed.
    Delete,
    /// It is not ours and is left alone, but matters.
    Foreign,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 5] = [Self::Create, Self::Update, Self::Replace, Self::Delete, Self::Foreign];

    /// The word in JSON and text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Delete => "delete",
            Self::Foreign => "foreign",
        }
    }
}

/// The kinds of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An exchange.
    Exchange,
    /// A queue.
    Queue,
    /// A binding.
    Binding,
    /// A policy.
    Policy,
    /// Tables of a store.
    Store,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Exchange, Self::Queue, Self::Binding, Self::Policy, Self::Store];

    /// The word in JSON and text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exchange => "exchange",
            Self::Queue => "queue",
            Self::Binding => "binding",
            Self::Policy => "policy",
            Self::Store => "store",
        }
    }
}

/// One differing field. `None` means absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Field or argument name.
    pub field: String,
    /// What is there.
    pub from: Option<Value>,
    /// What the file says.
    pub to: Option<Value>,
}

/// One line of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is done.
    pub action: Action,
    /// To which kind of object.
    pub kind: Kind,
    /// Its name; a binding reads `exchange -> queue (key)`.
    pub name: String,
    /// The differing fields.
    pub fields: Vec<FieldChange>,
    /// Why it is dangerous or can't be done.
    pub hazard: Option<Code>,
    /// How it is done; `None` for what is only reported.
    pub step: Option<Step>,
}

impl Change {
    /// Whether it is a queue that nobody looks after, whose counts change by themselves.
    #[must_use]
    pub fn is_left_orphan(&self) -> bool {
        self.action == Action::Foreign && self.hazard == Some(Code::Orphan)
    }

    /// Whether applying must not go on: it can't be changed in place, or the broker would not take it.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        let refused_before = self.hazard == Some(Code::ArgumentHazard) && self.step.is_none();
        self.action == Action::Replace || (self.action == Action::Create && refused_before)
    }

    /// Whether it is worth a line and nothing has to follow from it.
    #[must_use]
    pub fn is_informational(&self) -> bool {
        self.action == Action::Foreign && matches!(self.hazard, None | Some(Code::DefaultQueueType))
    }
}

/// The difference between file and world.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In execution order: dead-letter queues, exchange, queues, store, bindings last, so that a
    /// half-made topology receives nothing (T68).
    pub changes: Vec<Change>,
    /// Steps run by every apply because nobody can see whether they are needed: bindings, when the look
    /// was made through AMQP alone. Each changes nothing when it was done before.
    pub ensure: Vec<Step>,
    /// Objects that are as they should be.
    pub keep: u64,
    /// What could not be checked, as sentences.
    pub unchecked: Vec<String>,
}

impl Plan {
    /// How many changes have this action.
    #[must_use]
    pub fn count(&self, action: Action) -> usize {
        self.changes.iter().filter(|c| c.action == action).count()
    }

    /// Whether nothing differs: neither from the file, nor by something of others that endangers the
    /// topology.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.iter().all(Change::is_informational)
    }

    /// Whether an apply has something to do or to refuse; what is foreign it leaves alone.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.changes.iter().any(|change| change.action != Action::Foreign)
    }

    /// Every step, in execution order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.changes.iter().filter_map(|change| change.step.as_ref()).chain(&self.ensure)
    }

    /// Whether something can't be done by applying.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.changes.iter().any(Change::is_refusal)
    }

    /// Approves the plan as shown; `None` when it holds a change that must not be made.
    #[must_use]
    pub fn approve(self) -> Option<ApprovedPlan> {
        if self.is_refused() { None } else { Some(ApprovedPlan { plan: self }) }
    }
}

/// A plan that somebody agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedPlan {
    plan: Plan,
}

impl ApprovedPlan {
    /// The plan.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }
}
