//! Limits of the file that are lower than those which existing queues were declared with: one policy of ours
//! carries them, because arguments are fixed and of an argument and a policy the lower number applies.
//!
//! A limit that is higher than the argument, or gone, can't be carried; neither can one on queues that
//! another user policy applies to, because of user policies only one does. Does nothing when the policies
//! can't be seen.
//!
//! Invariants: plan-is-what-runs (once carried out, nothing differs), confirm-or-report (only limits of
//! queues that refuse what exceeds them are touched).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    code::Code,
    desired::Desired,
    observed::{Observed, Value},
    pattern,
    plan::{Action, Change, FieldChange, Kind, Plan, Step},
    policy::{ApplyTo, Author, Policy, Rules, Target, own_policy_name},
    topology::{QueueKind, Topology},
};

/// Lengths that policies carry on every version and queue type.
const LENGTHS: &[&str] = &["max-length", "max-length-bytes"];

/// Applies to existing quorum queues since 4.1.
const DELIVERY_LIMIT: &str = "delivery-limit";

/// What differs of the limits, collected queue by queue.
pub(super) struct Limits<'a> {
    observed: &'a Observed,
    /// Keys that a policy can carry here; none when policies can't be seen.
    keys: Vec<&'static str>,
    /// By key: the lowest number of an argument that is to be undercut, if there is one, and the file's.
    lowered: BTreeMap<&'static str, FieldChange>,
    /// Queues with such an argument.
    queues: BTreeSet<String>,
}

impl<'a> Limits<'a> {
    pub(super) fn of(topology: &Topology, observed: &'a Observed) -> Self {
        let mut keys = Vec::new();
        if observed.policies.is_some() {
            keys.extend(LENGTHS);
            let late = observed.version().is_some_and(|version| version.at_least(4, 1));
            if late && topology.queues.kind == QueueKind::Quorum {
                keys.push(DELIVERY_LIMIT);
            }
        }
        Self { observed, keys, lowered: BTreeMap::new(), queues: BTreeSet::new() }
    }

    /// Takes those of a shard queue's differences that a policy can carry, and gives the rest.
    pub(super) fn take(&mut self, queue: &str, mut fields: Vec<FieldChange>) -> Vec<FieldChange> {
        fields.retain(|change| {
            let name = change.field.strip_prefix("x-");
            let key = self.keys.iter().copied().find(|key| Some(*key) == name);
            let Some(key) = key.filter(|key| is_lowered(key, change)) else { return true };
            let field = FieldChange { field: key.to_owned(), ..change.clone() };
            let first = self.lowered.entry(key).or_insert_with(|| field.clone());
            // No limit at all is above every number.
            if field.from.is_some() && (first.from.is_none() || field.from < first.from) {
                *first = field;
            }
            self.queues.insert(queue.to_owned());
            false
        });
        fields
    }

    /// Adds the policy to `plan`.
    pub(super) fn diff(self, topology: &Topology, desired: &Desired, plan: &mut Plan) {
        let Some(policies) = &self.observed.policies else { return };
        let name = own_policy_name(topology);
        let own = policies.iter().find(|policy| policy.author == Author::User && policy.name == name);
        if self.lowered.is_empty() {
            if let Some(own) = own {
                let step = Step::DeletePolicy { name: name.clone() };
                let fields = defined(own, &BTreeMap::new(), &self.lowered);
                plan.changes.push(change(Action::Delete, name, fields, None, Some(step)));
            }
            return;
        }
        let number = |change: &FieldChange| change.to.clone();
        let definition: BTreeMap<String, Value> = self
            .lowered
            .iter()
            .filter_map(|(key, change)| Some(((*key).to_owned(), number(change)?)))
            .collect();
        let wanted = Policy {
            name: name.clone(),
            author: Author::User,
            pattern: pattern::shard_queues(topology),
            apply_to: ApplyTo::Queues,
            priority: 0,
            definition,
        };
        let mut fields = match own {
            Some(own) => differing(own, &wanted, &self.lowered),
            None => self.lowered.values().cloned().collect(),
        };
        let blocking = self.blocking(policies, &name, desired);
        if !blocking.is_empty() {
            fields.extend(blocking.into_iter().map(|other| FieldChange {
                field: "policy in force".to_owned(),
                from: Some(Value::Text(other.to_owned())),
                to: Some(Value::Text(name.clone())),
            }));
            plan.changes.push(change(Action::Replace, name, fields, Some(Code::PolicyLimits), None));
        } else if fields.is_empty() {
            plan.keep += 1;
        } else {
            let step = Step::Policy { policy: wanted };
            plan.changes.push(change(Action::Update, name, fields, None, Some(step)));
        }
    }

    /// Other user policies that apply, or may, to a queue whose limit is to be carried.
    fn blocking(&self, policies: &'a [Policy], own: &str, desired: &Desired) -> BTreeSet<&'a str> {
        let rules = Rules::of(policies, self.observed.version());
        let queues = desired.queues.iter().filter(|queue| self.queues.contains(&queue.name));
        queues
            .flat_map(|queue| rules.applying(Author::User, Target::Queue(&queue.name, queue.kind)))
            .map(|found| found.policy.name.as_str())
            .filter(|name| *name != own)
            .collect()
    }
}

/// Whether the number of the file is below the one that is there. A delivery limit that is missing is
/// another one on each version, so there it has to be there.
fn is_lowered(key: &str, change: &FieldChange) -> bool {
    match (&change.from, &change.to) {
        (Some(Value::Integer(from)), Some(Value::Integer(to))) => to < from,
        (None, Some(Value::Integer(_))) => key != DELIVERY_LIMIT,
        _ => false,
    }
}

/// The keys in which the definition of `own` differs from `wanted`; the end of a key means that the argument
/// applies again.
fn defined(
    own: &Policy,
    wanted: &BTreeMap<String, Value>,
    lowered: &BTreeMap<&'static str, FieldChange>,
) -> Vec<FieldChange> {
    let keys: BTreeSet<&String> = own.definition.keys().chain(wanted.keys()).collect();
    let field = |key: &String| {
        let (from, to) = (own.definition.get(key).cloned(), wanted.get(key).cloned());
        if from == to {
            return None;
        }
        let argument = lowered.get(key.as_str()).and_then(|change| change.from.clone());
        Some(FieldChange { field: key.clone(), from: from.or(argument), to })
    };
    keys.into_iter().filter_map(field).collect()
}

fn differing(
    own: &Policy,
    wanted: &Policy,
    lowered: &BTreeMap<&'static str, FieldChange>,
) -> Vec<FieldChange> {
    let text = |value: &str| Value::Text(value.to_owned());
    let sides = [
        ("pattern", text(&own.pattern), text(&wanted.pattern)),
        ("apply-to", text(own.apply_to.as_str()), text(wanted.apply_to.as_str())),
        ("priority", Value::Integer(own.priority), Value::Integer(wanted.priority)),
    ];
    let sides = sides.into_iter().filter(|(_, from, to)| from != to);
    let sides = sides.map(|(field, from, to)| FieldChange {
        field: field.to_owned(),
        from: Some(from),
        to: Some(to),
    });
    defined(own, &wanted.definition, lowered).into_iter().chain(sides).collect()
}

const fn change(
    action: Action,
    name: String,
    fields: Vec<FieldChange>,
    hazard: Option<Code>,
    step: Option<Step>,
) -> Change {
    Change { action, kind: Kind::Policy, name, fields, hazard, step }
}
