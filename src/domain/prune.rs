//! Which orphans are deleted when that is asked for: those that are empty and that nobody uses or feeds.
//!
//! What can't be seen counts as use. Each deletion is checked again when it is run: a queue that got a message
//! or a consumer in between is refused.
//!
//! Invariants: confirm-or-report (no message is deleted), plan-is-what-runs.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    code::Code,
    observed::{Observed, Orphan, Value},
    plan::{Action, Change, Kind, Plan, Step},
    topology::Topology,
};

/// Turns the orphans in `plan` that may go into deletions, bindings first, and says of the others why they
/// stay.
pub fn prune(topology: &Topology, observed: &Observed, plan: &mut Plan) {
    let exchange = topology.exchange.name.as_str();
    let mut staying: BTreeMap<&str, &str> =
        observed.orphans.iter().filter_map(|(name, orphan)| Some((name.as_str(), reason(orphan)?))).collect();
    // A dead-letter queue stays as long as a queue that stays names it.
    let named: BTreeSet<Value> =
        staying.keys().filter_map(|name| dead_letter_queue(observed.orphans.get(*name)?)).collect();
    for name in observed.orphans.keys().filter(|name| named.contains(&Value::Text((*name).clone()))) {
        staying.entry(name).or_insert("a queue that stays sends its dead letters there");
    }
    let going: BTreeSet<&str> =
        observed.orphans.keys().map(String::as_str).filter(|name| !staying.contains_key(name)).collect();
    plan.changes.retain(|change| {
        change.hazard != Some(Code::Orphan) || change.kind != Kind::Queue || !going.contains(&*change.name)
    });
    let delete = |kind, name: String, step| Change {
        action: Action::Delete,
        kind,
        name,
        fields: Vec::new(),
        hazard: None,
        step: Some(step),
    };
    let bindings: BTreeSet<_> = observed.bindings.iter().flatten().collect();
    let bindings = bindings.into_iter().filter(|binding| {
        binding.source == exchange && binding.to_queue && going.contains(&*binding.destination)
    });
    // One with arguments goes with its queue.
    plan.changes.extend(bindings.filter(|binding| !binding.has_arguments).map(|binding| {
        let (queue, routing_key) = (binding.destination.clone(), binding.routing_key.clone());
        let name = format!("{exchange} -> {queue} ({routing_key})");
        delete(Kind::Binding, name, Step::Unbind { exchange: exchange.to_owned(), queue, routing_key })
    }));
    plan.changes.extend(going.into_iter().map(|name| {
        let step = Step::DeleteQueue { name: name.to_owned(), discard: false };
        delete(Kind::Queue, name.to_owned(), step)
    }));
    plan.unchecked.extend(staying.iter().map(|(name, why)| format!("queue {name} is not pruned: {why}")));
}

/// Why an orphan has to stay.
fn reason(orphan: &Orphan) -> Option<&'static str> {
    let Some(stats) = &orphan.stats else { return Some("its messages can't be counted now") };
    if stats.ready > 0 || stats.unacked.is_some_and(|unacked| unacked > 0) {
        return Some("it holds messages");
    }
    if stats.unacked.is_none() {
        return Some("its unacknowledged messages can't be counted now");
    }
    if stats.consumers > 0 {
        return Some("consumers are attached to it");
    }
    orphan.fed.then_some("an exchange of others feeds it")
}

fn dead_letter_queue(orphan: &Orphan) -> Option<Value> {
    orphan.details.arguments.get("x-dead-letter-routing-key").cloned()
}
