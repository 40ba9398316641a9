//! Policies of others that break a promise of the topology's exchange and queues.
//!
//! Finds which policies apply and tells each once, however many queues it reaches; what its keys do is
//! judged by [`super::lint`]. A policy without a harmful key is nobody's business here and is not
//! mentioned. None is changed: it belongs to somebody else.
//!
//! Invariants: per-key-order, confirm-or-report (T12, T19, T20, T41-T43).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    code::Code,
    desired::{Desired, DesiredQueue},
    lint::{
        self, Queue, Role,
        policy::{PolicyHazard, hazards},
    },
    observed::Observed,
    plan::{Action, Change, FieldChange, Kind, Plan},
    policy::{Author, Doubt, Match, Policy, Rules, Target, own_policy_name},
    topology::Topology,
    version::BrokerVersion,
};

/// From the worst: several keys of one policy are one change, which bears the first of their codes.
const SEVERITY: &[Code] = &[
    Code::AlternateExchange,
    Code::PolicyDrops,
    Code::PolicyExpires,
    Code::PolicyDeadLetters,
    Code::PolicyDelays,
    Code::PolicyReorders,
    Code::PolicyLimits,
];

/// Adds the dangerous ones of the observed policies to `plan`.
pub(super) fn diff(topology: &Topology, desired: &Desired, observed: &Observed, plan: &mut Plan) {
    let Some(policies) = &observed.policies else { return };
    let version = observed.version();
    let mut harm = Harm { own: own_policy_name(topology), found: BTreeMap::new(), version };
    let rules = Rules::of(policies, version);
    harm.on(&rules, Target::Exchange(&desired.exchange.name), None);
    let roles = [(Role::DeadLetter, &desired.dead_letters), (Role::Shard, &desired.queues)];
    for (role, queues) in roles {
        for queue in queues {
            harm.on(&rules, Target::Queue(&queue.name, queue.kind), Some((role, queue)));
        }
    }
    for hazard in harm.found.into_values() {
        hazard.report(plan);
    }
}

/// What was found so far, by policy.
struct Harm<'a> {
    own: String,
    found: BTreeMap<(Author, &'a str), Hazard<'a>>,
    version: Option<BrokerVersion>,
}

impl<'a> Harm<'a> {
    fn on(&mut self, rules: &Rules<'a>, target: Target<'_>, queue: Option<(Role, &DesiredQueue)>) {
        let operators = rules.applying(Author::Operator, target);
        let users = rules.applying(Author::User, target);
        let judged = match queue {
            None => lint::policy::Target::Exchange,
            Some((role, queue)) => lint::policy::Target::Queue(Queue {
                role,
                kind: queue.kind.into(),
                arguments: &queue.arguments,
            }),
        };
        for in_force in pairs(&operators, &users) {
            let policies: Vec<&Policy> = in_force.iter().map(|found| found.policy).collect();
            for hazard in hazards(&policies, judged, self.version) {
                let caused = in_force.iter().find(|found| {
                    (found.policy.author, &found.policy.name) == (hazard.author, &hazard.policy)
                });
                let Some(cause) = caused else { continue };
                // Ours is compared with the file, key by key, in [`super::limits`].
                let ours = hazard.author == Author::User && hazard.policy == self.own;
                if !ours {
                    self.note(*cause, target, hazard, queue.map(|(_, queue)| queue));
                }
            }
        }
    }

    fn note(
        &mut self,
        cause: Match<'a>,
        target: Target<'_>,
        hazard: PolicyHazard,
        queue: Option<&DesiredQueue>,
    ) {
        let Match { policy, doubt } = cause;
        let entry = self.found.entry((policy.author, &policy.name)).or_insert_with(|| Hazard {
            policy,
            doubt,
            codes: BTreeSet::new(),
            fields: BTreeMap::new(),
            exchange: None,
            queues: Vec::new(),
        });
        // Certain for one object is certain enough.
        entry.doubt = entry.doubt.min(doubt);
        entry.codes.insert(hazard.code);
        let to = queue.and_then(|queue| queue.arguments.get(&format!("x-{}", hazard.key)).cloned());
        let field = FieldChange { field: hazard.key.clone(), from: Some(hazard.value), to };
        // Shard queues come after the dead-letter queues: their limits are the ones of the file.
        entry.fields.insert(hazard.key, field);
        match target {
            Target::Exchange(name) => entry.exchange = Some(name.to_owned()),
            Target::Queue(name, _) if entry.queues.last().is_none_or(|last| last != name) => {
                entry.queues.push(name.to_owned());
            }
            Target::Queue(..) => {}
        }
    }
}

/// Every way in which one policy of each author may be in force.
fn pairs<'a>(operators: &[Match<'a>], users: &[Match<'a>]) -> Vec<Vec<Match<'a>>> {
    let choices = |of: &[Match<'a>]| -> Vec<Option<Match<'a>>> {
        let certain = of.iter().any(|found| found.doubt != Some(Doubt::Pattern));
        of.iter().copied().map(Some).chain((!certain).then_some(None)).collect()
    };
    let users = choices(users);
    choices(operators)
        .into_iter()
        .flat_map(|operator| users.iter().map(move |user| operator.into_iter().chain(*user).collect()))
        .collect()
}

/// One policy with all it does to us.
struct Hazard<'a> {
    policy: &'a Policy,
    doubt: Option<Doubt>,
    codes: BTreeSet<Code>,
    fields: BTreeMap<String, FieldChange>,
    exchange: Option<String>,
    /// In the order of the plan.
    queues: Vec<String>,
}

impl Hazard<'_> {
    fn report(self, plan: &mut Plan) {
        let author = match self.policy.author {
            Author::User => "policy",
            Author::Operator => "operator policy",
        };
        let title = format!("{author} {}", self.policy.name);
        let exchange = self.exchange.as_ref().map(|name| format!("exchange {name}"));
        let queues = match self.queues.as_slice() {
            [] => None,
            [name] => Some(format!("queue {name}")),
            [first, ..] => Some(format!("{} queues ({first} first)", self.queues.len())),
        };
        let objects: Vec<String> = exchange.into_iter().chain(queues).collect();
        plan.unchecked.extend(self.doubt.map(|doubt| match doubt {
            Doubt::Pattern => {
                let pattern = &self.policy.pattern;
                format!("{title}: the pattern {pattern:?} can't be judged here; it is taken as matching")
            }
            Doubt::Tie => format!("{title} shares its priority with another that matches; either may apply"),
        }));
        plan.changes.push(Change {
            action: Action::Foreign,
            kind: Kind::Policy,
            name: format!("{title} on {}", objects.join(" and ")),
            fields: self.fields.into_values().collect(),
            hazard: SEVERITY.iter().copied().find(|code| self.codes.contains(code)),
            step: None,
        });
    }
}
