//! The difference between a topology and the world, as a plan.
//!
//! Pure: decides what is made, kept, refused and only reported. Never proposes a deletion: an object that
//! can't be changed in place is refused, because making it anew would lose its messages (T31).
//!
//! Invariant: plan-is-what-runs. Running the plan makes the next plan empty.

use super::{
    bindings,
    code::Code,
    desired::{Desired, DesiredExchange, DesiredQueue},
    fit::{self, Fit},
    hazards,
    limits::Limits,
    lint::Role,
    observed::{Observed, Sight, Value},
    orphans,
    plan::{Action, Change, FieldChange, Kind, Plan, Step},
    refusals,
    stores::{self, StoreObserved},
    topology::Topology,
};

/// What is to be done to make the world equal to `topology`. `stores` in the order of
/// [`stores::stores`].
#[must_use]
pub fn diff(topology: &Topology, observed: &Observed, stores: &[StoreObserved]) -> Plan {
    let desired = Desired::of(topology);
    let mut plan = Plan::default();
    for wanted in &desired.dead_letters {
        queue(wanted, Role::DeadLetter, observed, None, &mut plan);
    }
    exchange(&desired.exchange, observed, &mut plan);
    let mut limits = Limits::of(topology, observed);
    for wanted in &desired.queues {
        queue(wanted, Role::Shard, observed, Some(&mut limits), &mut plan);
    }
    limits.diff(topology, &desired, &mut plan);
    stores::diff(topology, stores, &mut plan);
    bindings::diff(&desired, observed, &mut plan);
    hazards::diff(topology, &desired, observed, &mut plan);
    refusals::diff(topology, &desired, observed, &mut plan);
    orphans::diff(&observed.orphans, &mut plan);
    default_type(topology, observed, &mut plan);
    plan.unchecked.extend(observed.unread.iter().cloned());
    if observed.sight == Sight::Amqp && plan.is_refused() {
        plan.unchecked.push(
            "through AMQP alone only the first difference of each object shows, and no policy that makes up for \
             it"
                .to_owned(),
        );
    }
    plan
}

/// Queues of the topology always name their type (T34), so a default matters only when it explains what
/// somebody else made, or will make. `classic` stands for none: every vhost of 4.x has it unless asked.
fn default_type(topology: &Topology, observed: &Observed, plan: &mut Plan) {
    let wanted = topology.queues.kind.as_str();
    let Some(found) = observed.default_queue_type.as_deref().filter(|found| *found != wanted) else { return };
    let mut details = observed.queues.values().filter_map(|queue| queue.details.as_ref());
    if found == "classic" && !details.any(|details| details.kind == found) {
        return;
    }
    plan.changes.push(Change {
        action: Action::Foreign,
        kind: Kind::Queue,
        name: "without a type in this vhost".to_owned(),
        fields: vec![FieldChange {
            field: "default_queue_type".to_owned(),
            from: Some(Value::Text(found.to_owned())),
            to: Some(Value::Text(wanted.to_owned())),
        }],
        hazard: Some(Code::DefaultQueueType),
        step: None,
    });
}

fn exchange(wanted: &DesiredExchange, observed: &Observed, plan: &mut Plan) {
    let step = Step::Exchange { name: wanted.name.clone(), kind: wanted.kind.to_owned() };
    let fit = observed.exchange.as_ref().map(|found| fit::exchange(wanted, found));
    record(Kind::Exchange, &wanted.name, fit, step, plan);
}

/// `limits` takes the differences that a policy can carry.
fn queue(
    wanted: &DesiredQueue,
    role: Role,
    observed: &Observed,
    limits: Option<&mut Limits<'_>>,
    plan: &mut Plan,
) {
    let step = Step::Queue { name: wanted.name.clone(), arguments: wanted.arguments.clone() };
    let version = observed.version();
    let mut fit = observed.queues.get(&wanted.name).map(|found| fit::queue(wanted, role, found, version));
    if let (Some(Fit::Differs(fields)), Some(limits)) = (&mut fit, limits) {
        let left = limits.take(&wanted.name, std::mem::take(fields));
        fit = Some(Fit::of_fields(left));
    }
    record(Kind::Queue, &wanted.name, fit, step, plan);
}

/// Turns the comparison of one object into a line of the plan; `fit` is `None` when it does not exist.
fn record(kind: Kind, name: &str, fit: Option<Fit>, step: Step, plan: &mut Plan) {
    let change =
        |action, fields, hazard, step| Change { action, kind, name: name.to_owned(), fields, hazard, step };
    match fit {
        None => plan.changes.push(step.create(kind, name)),
        Some(Fit::Same) => plan.keep += 1,
        Some(Fit::Unknown(why)) => {
            plan.keep += 1;
            plan.unchecked.push(format!("{} {name} exists; {why}", kind.as_str()));
        }
        Some(Fit::Differs(fields)) => {
            plan.changes.push(change(Action::Replace, fields, Some(Code::Immutable), None));
        }
    }
}
