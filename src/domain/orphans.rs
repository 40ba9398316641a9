//! Queues that the topology's name templates explain and its file does not: of other generations, of
//! another number of shards, of removed consumers, and their dead-letter queues.
//!
//! A name alone proves little: with dots in names, `orders.eu.ledger.g1.0` can be a queue of `orders.eu`
//! or of a consumer `eu.ledger` of `orders`. So a queue is called an orphan only when it is bound to our
//! exchange by one of our routing keys, or when its name has a single reading and nobody else uses it.
//! Everything else belongs to others and is not mentioned.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    code::Code,
    desired::Desired,
    observed::{ObservedBinding, Orphan, QueueDetails, QueueStats, Value},
    plan::{Action, Change, FieldChange, Kind, Plan},
    template::{Field, Reading, Template},
    topology::Topology,
};

/// Finds the orphans among all queues of the vhost. `stats` of what was counted, `bindings` of the whole
/// vhost without the default exchange's.
#[must_use]
pub fn find(
    topology: &Topology,
    queues: &BTreeMap<String, QueueDetails>,
    stats: &BTreeMap<String, QueueStats>,
    bindings: &[ObservedBinding],
) -> BTreeMap<String, Orphan> {
    let desired = Desired::of(topology);
    let ours: BTreeSet<_> = desired.all_queues().map(|queue| queue.name.as_str()).collect();
    let vhost = Vhost { topology, bindings };
    let others = queues.iter().filter(|(name, details)| {
        // What topo made is durable and stays.
        !ours.contains(name.as_str()) && details.durable && !details.auto_delete && !details.exclusive
    });
    let others: BTreeMap<_, _> = others.collect();
    let mut found: BTreeSet<&String> =
        others.keys().copied().filter(|name| vhost.is_shard_queue(name)).collect();
    let dead_letters = others.keys().copied().filter(|name| {
        let readings = topology.queues.dead_letter.readings(name, topology.name.as_str());
        if readings.is_empty() {
            return false;
        }
        let mut sources =
            queues.iter().filter(|(_, queue)| dead_letters_to(queue, name)).map(|(name, _)| name);
        // An orphaned shard queue sends its dead letters there.
        let wanted = sources.clone().any(|source| found.contains(source));
        sources.all(|source| found.contains(source))
            && (wanted || vhost.is_plain(&topology.queues.dead_letter, &readings, name))
    });
    let dead_letters: Vec<_> = dead_letters.collect();
    found.extend(dead_letters);
    let orphan = |name: &String| {
        let orphan = Orphan {
            details: others.get(name).copied()?.clone(),
            stats: stats.get(name).cloned(),
            bindings: vhost.own_bindings(name).count() as u64,
            fed: vhost.feeding(name).count() > vhost.own_bindings(name).count(),
        };
        Some((name.clone(), orphan))
    };
    found.into_iter().filter_map(orphan).collect()
}

struct Vhost<'a> {
    topology: &'a Topology,
    bindings: &'a [ObservedBinding],
}

impl Vhost<'_> {
    fn feeding(&self, queue: &str) -> impl Iterator<Item = &ObservedBinding> {
        self.bindings.iter().filter(move |binding| binding.to_queue && binding.destination == queue)
    }

    fn own_bindings(&self, queue: &str) -> impl Iterator<Item = &ObservedBinding> {
        let exchange = self.topology.exchange.name.as_str();
        self.feeding(queue).filter(move |binding| binding.source == exchange)
    }

    fn is_shard_queue(&self, name: &str) -> bool {
        let topology = self.topology;
        let keys = &topology.shards.routing_key;
        let readings = topology.queues.name.readings(name, topology.name.as_str());
        // Before the bindings are searched: most queues of a shared vhost end here.
        if readings.is_empty() {
            return false;
        }
        let bound = self
            .own_bindings(name)
            .any(|binding| !keys.readings(&binding.routing_key, topology.name.as_str()).is_empty());
        bound || self.is_plain(&topology.queues.name, &readings, name)
    }

    /// Whether the name can only be ours, and no exchange feeds the queue.
    fn is_plain(&self, template: &Template, readings: &[Reading], name: &str) -> bool {
        let known = |consumer: &str| self.topology.consumers.keys().any(|known| known.as_str() == consumer);
        let plain = |reading: &Reading| {
            reading.consumer.as_ref().is_none_or(|name| known(name) || !template.is_ambiguous(name))
        };
        template.names(Field::Topology) && readings.iter().all(plain) && self.feeding(name).next().is_none()
    }
}

fn dead_letters_to(queue: &QueueDetails, name: &str) -> bool {
    let text = |argument: &str, wanted: &str| match queue.arguments.get(argument) {
        Some(Value::Text(value)) => value == wanted,
        _ => false,
    };
    text("x-dead-letter-exchange", "") && text("x-dead-letter-routing-key", name)
}

/// Adds the orphans to `plan`.
pub(super) fn diff(orphans: &BTreeMap<String, Orphan>, plan: &mut Plan) {
    let uncounted: Vec<_> = orphans.iter().filter(|(_, orphan)| orphan.stats.is_none()).collect();
    if let [(first, _), ..] = uncounted.as_slice() {
        let count = uncounted.len();
        plan.unchecked.push(format!("the messages of {count} orphans can't be counted now ({first} first)"));
    }
    for (name, orphan) in orphans {
        let stats = orphan.stats.as_ref();
        let counts = [
            ("ready", stats.map(|stats| stats.ready)),
            ("unacked", stats.and_then(|stats| stats.unacked)),
            ("consumers", stats.map(|stats| stats.consumers)),
            ("bindings", Some(orphan.bindings)),
        ];
        let field = |(field, count): (&str, Option<u64>)| FieldChange {
            field: field.to_owned(),
            from: count.map(|count| Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))),
            to: None,
        };
        plan.changes.push(Change {
            action: Action::Foreign,
            kind: Kind::Queue,
            name: name.clone(),
            fields: counts.into_iter().filter(|(_, count)| count.is_some()).map(field).collect(),
            hazard: Some(Code::Orphan),
            step: None,
        });
    }
}
