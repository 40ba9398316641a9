//! The bindings' part of the difference: what is missing, what is foreign, what can't be seen.
//!
//! A foreign binding is reported and never removed: somebody made it for a reason that is not known here.
//! Bindings to orphans are told with the orphan.
//!
//! Invariants: per-key-order (a binding into a shard queue can bring keys of other shards, T69),
//! confirm-or-report (one that takes messages of a shard without a queue hides that nobody got them).

use std::collections::BTreeSet;

use super::{
    code::Code,
    desired::{Desired, DesiredBinding},
    observed::{Observed, ObservedBinding},
    plan::{Action, Change, Kind, Plan, Step},
};

/// Adds the bindings to `plan`.
pub(super) fn diff(desired: &Desired, observed: &Observed, plan: &mut Plan) {
    match &observed.bindings {
        Some(found) => compare(desired, found, observed, plan),
        None => unseen(desired, observed, plan),
    }
}

fn compare(desired: &Desired, found: &[ObservedBinding], observed: &Observed, plan: &mut Plan) {
    let exchange = desired.exchange.name.as_str();
    let ours: BTreeSet<_> = desired.bindings.iter().map(|b| (&*b.queue, &*b.routing_key)).collect();
    let mut present = BTreeSet::new();
    let mut foreign = BTreeSet::new();
    for binding in found {
        let place = (&*binding.destination, &*binding.routing_key);
        if binding.source == exchange && binding.to_queue && !binding.has_arguments && ours.contains(&place) {
            present.insert(place);
        } else {
            foreign.insert(binding);
        }
    }
    for binding in &desired.bindings {
        if present.contains(&(&*binding.queue, &*binding.routing_key)) {
            plan.keep += 1;
        } else {
            plan.changes.push(create(exchange, binding));
        }
    }
    let queues: BTreeSet<_> = desired.all_queues().map(|queue| queue.name.as_str()).collect();
    let orphan =
        |binding: &ObservedBinding| binding.to_queue && observed.orphans.contains_key(&binding.destination);
    let foreign = foreign.into_iter().filter(|binding| !orphan(binding));
    plan.changes.extend(foreign.map(|binding| foreign_change(binding, exchange, &queues)));
}

/// Through AMQP alone a binding shows only in what is missing: a queue or exchange that does not exist has
/// none. Between existing ones it is made again, which changes nothing if it is there.
fn unseen(desired: &Desired, observed: &Observed, plan: &mut Plan) {
    let exchange = desired.exchange.name.as_str();
    for binding in &desired.bindings {
        if observed.exchange.is_some() && observed.queues.contains_key(&binding.queue) {
            plan.ensure.push(step(exchange, binding));
        } else {
            plan.changes.push(create(exchange, binding));
        }
    }
    if !plan.ensure.is_empty() {
        let count = plan.ensure.len();
        plan.unchecked
            .push(format!("{count} bindings can't be seen through AMQP alone; apply makes them again"));
    }
}

fn step(exchange: &str, binding: &DesiredBinding) -> Step {
    Step::Binding {
        exchange: exchange.to_owned(),
        queue: binding.queue.clone(),
        routing_key: binding.routing_key.clone(),
    }
}

fn create(exchange: &str, binding: &DesiredBinding) -> Change {
    let name = format!("{exchange} -> {} ({})", binding.queue, binding.routing_key);
    step(exchange, binding).create(Kind::Binding, name)
}

fn foreign_change(binding: &ObservedBinding, exchange: &str, queues: &BTreeSet<&str>) -> Change {
    let ObservedBinding { source, destination, to_queue, routing_key, has_arguments } = binding;
    let kind = if *to_queue { "" } else { "exchange " };
    let arguments = if *has_arguments { " with arguments" } else { "" };
    let into = if *to_queue { queues.contains(destination.as_str()) } else { destination == exchange };
    Change {
        action: Action::Foreign,
        kind: Kind::Binding,
        name: format!("{source} -> {kind}{destination} ({routing_key}){arguments}"),
        fields: Vec::new(),
        hazard: Some(if into { Code::ForeignBinding } else { Code::ForeignRoute }),
        step: None,
    }
}
