//! The difference between a topology and the world, as a plan.
//!
//! Pure: decides what is made, kept, refused and only reported. Never proposes a deletion: an object that
//! can't be changed in place is refused, because making it anew would lose its messages (T31).
//!
//! Invariant: plan-is-what-runs. Running the plan makes the next plan empty.

use std::collections::BTreeMap;

use super::{
    bindings,
    code::Code,
    desired::{Desired, DesiredExchange, DesiredQueue, QUEUE_TYPE},
    hazards,
    observed::{Difference, Observed, ObservedExchange, ObservedQueue, Sight, Value, Verdict},
    orphans,
    plan::{Action, Change, FieldChange, Kind, Plan, Step},
    stores::{self, StoreObserved},
    topology::Topology,
};

/// The one exchange argument that brokers compare; it would hide missing routes (T12).
const ALTERNATE_EXCHANGE: &str = "alternate-exchange";

/// What is to be done to make the world equal to `topology`. `stores` in the order of
/// [`stores::stores`].
#[must_use]
pub fn diff(topology: &Topology, observed: &Observed, stores: &[StoreObserved]) -> Plan {
    let desired = Desired::of(topology);
    let mut plan = Plan::default();
    for wanted in &desired.dead_letters {
        queue(wanted, observed, &mut plan);
    }
    exchange(&desired.exchange, observed, &mut plan);
    for wanted in &desired.queues {
        queue(wanted, observed, &mut plan);
    }
    stores::diff(topology, stores, &mut plan);
    bindings::diff(&desired, observed, &mut plan);
    hazards::diff(topology, &desired, observed, &mut plan);
    orphans::diff(&observed.orphans, &mut plan);
    default_type(topology, observed, &mut plan);
    plan.unchecked.extend(observed.unread.iter().cloned());
    if observed.sight == Sight::Amqp && plan.is_refused() {
        plan.unchecked.push(
            "through AMQP alone only the first difference of each object shows; there may be more".to_owned(),
        );
    }
    plan
}

/// Queues of the topology always name their type (T34); what others make without one becomes another.
fn default_type(topology: &Topology, observed: &Observed, plan: &mut Plan) {
    let wanted = topology.queues.kind.as_str();
    let Some(found) = observed.default_queue_type.as_deref().filter(|found| *found != wanted) else { return };
    plan.changes.push(Change {
        action: Action::Foreign,
        kind: Kind::Queue,
        name: "without a type in this vhost".to_owned(),
        fields: vec![FieldChange {
            field: "default_queue_type".to_owned(),
            from: Some(text(found)),
            to: Some(text(wanted)),
        }],
        hazard: Some(Code::DefaultQueueType),
        step: None,
    });
}

/// What comparing one existing object gave.
enum Fit {
    Same,
    Unknown,
    Differs(Vec<FieldChange>),
}

impl Fit {
    fn of_fields(fields: Vec<FieldChange>) -> Self {
        if fields.is_empty() { Self::Same } else { Self::Differs(fields) }
    }

    fn of_verdict(verdict: Option<&Verdict>) -> Self {
        match verdict {
            None => Self::Unknown,
            Some(Verdict::Same) => Self::Same,
            Some(Verdict::Differs(Difference { field, live, asked })) => Self::Differs(vec![FieldChange {
                field: field.clone(),
                from: live.clone(),
                to: asked.clone(),
            }]),
        }
    }
}

fn exchange(wanted: &DesiredExchange, observed: &Observed, plan: &mut Plan) {
    let step = Step::Exchange { name: wanted.name.clone(), kind: wanted.kind.to_owned() };
    let fit = observed.exchange.as_ref().map(|found| exchange_fit(wanted, found));
    record(Kind::Exchange, &wanted.name, fit, step, plan);
}

fn queue(wanted: &DesiredQueue, observed: &Observed, plan: &mut Plan) {
    let step = Step::Queue { name: wanted.name.clone(), arguments: wanted.arguments.clone() };
    let fit = observed.queues.get(&wanted.name).map(|found| queue_fit(wanted, found));
    record(Kind::Queue, &wanted.name, fit, step, plan);
}

/// Turns the comparison of one object into a line of the plan; `fit` is `None` when it does not exist.
fn record(kind: Kind, name: &str, fit: Option<Fit>, step: Step, plan: &mut Plan) {
    let change =
        |action, fields, hazard, step| Change { action, kind, name: name.to_owned(), fields, hazard, step };
    match fit {
        None => plan.changes.push(step.create(kind, name)),
        Some(Fit::Same) => plan.keep += 1,
        Some(Fit::Unknown) => {
            plan.keep += 1;
            plan.unchecked.push(format!("{} {name} exists; its arguments can't be seen", kind.as_str()));
        }
        Some(Fit::Differs(fields)) => {
            plan.changes.push(change(Action::Replace, fields, Some(Code::Immutable), None));
        }
    }
}

fn exchange_fit(wanted: &DesiredExchange, found: &ObservedExchange) -> Fit {
    let Some(details) = &found.details else { return Fit::of_verdict(found.verdict.as_ref()) };
    let mut fields = Vec::new();
    compare("type", Some(&Value::Text(details.kind.clone())), Some(&text(wanted.kind)), &mut fields);
    flag("durable", details.durable, true, &mut fields);
    flag("auto_delete", details.auto_delete, false, &mut fields);
    flag("internal", details.internal, false, &mut fields);
    compare(ALTERNATE_EXCHANGE, details.arguments.get(ALTERNATE_EXCHANGE), None, &mut fields);
    Fit::of_fields(fields)
}

fn queue_fit(wanted: &DesiredQueue, found: &ObservedQueue) -> Fit {
    let Some(details) = &found.details else { return Fit::of_verdict(found.verdict.as_ref()) };
    let mut fields = Vec::new();
    // The type counts, not whether it was given or came from a default.
    compare(QUEUE_TYPE, Some(&text(&details.kind)), Some(&text(wanted.kind.as_str())), &mut fields);
    flag("durable", details.durable, true, &mut fields);
    flag("auto_delete", details.auto_delete, false, &mut fields);
    flag("exclusive", details.exclusive, false, &mut fields);
    compare_arguments(&details.arguments, &wanted.arguments, &mut fields);
    Fit::of_fields(fields)
}

fn compare_arguments(
    found: &BTreeMap<String, Value>,
    wanted: &BTreeMap<String, Value>,
    fields: &mut Vec<FieldChange>,
) {
    let extra = found.keys().filter(|name| !wanted.contains_key(*name));
    for name in wanted.keys().chain(extra).filter(|name| *name != QUEUE_TYPE) {
        compare(name, found.get(name), wanted.get(name), fields);
    }
}

/// Compares values with their types: the text `1000` is not the number 1000.
fn compare(field: &str, from: Option<&Value>, to: Option<&Value>, fields: &mut Vec<FieldChange>) {
    if from != to {
        fields.push(FieldChange { field: field.to_owned(), from: from.cloned(), to: to.cloned() });
    }
}

fn flag(field: &str, found: bool, wanted: bool, fields: &mut Vec<FieldChange>) {
    compare(field, Some(&Value::Bool(found)), Some(&Value::Bool(wanted)), fields);
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}
