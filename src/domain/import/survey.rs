//! What stands in the vhost of the exchange, and which queues belong to it: those it is bound to.

use std::collections::{BTreeMap, BTreeSet};

use super::{Obstacle, numbers};
use crate::domain::{
    observed::{ExchangeDetails, ObservedBinding, ObservedQueue, QueueDetails},
    version::BrokerVersion,
};

/// One look at a vhost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The exchange that was asked for.
    pub exchange: String,
    /// Broker product and version, when told.
    pub broker_version: Option<String>,
    /// Its properties; `None`: it does not exist.
    pub details: Option<ExchangeDetails>,
    /// Every queue of the vhost.
    pub queues: BTreeMap<String, QueueDetails>,
    /// Every binding of the vhost, those of the default exchange left out.
    pub bindings: Vec<ObservedBinding>,
}

impl Survey {
    /// The broker's version as numbers, when it was told.
    #[must_use]
    pub fn version(&self) -> Option<BrokerVersion> {
        self.broker_version.as_deref().and_then(BrokerVersion::parse)
    }

    pub(super) fn observed(&self, queue: &str) -> Option<ObservedQueue> {
        let details = self.queues.get(queue)?.clone();
        Some(ObservedQueue { details: Some(details), verdict: None })
    }
}

/// A queue that the exchange is bound to, and the routing key that counts.
pub(super) struct Bound<'a> {
    pub name: &'a str,
    pub key: &'a str,
}

/// The queues of the exchange. Bindings that a topology can't have are told.
pub(super) fn bound<'a>(survey: &'a Survey, obstacles: &mut Vec<Obstacle>) -> Vec<Bound<'a>> {
    let mut queues: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for binding in &survey.bindings {
        let ObservedBinding { source, destination, to_queue, routing_key, has_arguments } = binding;
        let from = *source == survey.exchange;
        if !from {
            continue;
        }
        let object = format!("binding {source} -> {destination} ({routing_key})");
        if !to_queue {
            obstacles.push(Obstacle::new(object, "destination", "an exchange", "a queue"));
            continue;
        }
        if *has_arguments {
            obstacles.push(Obstacle::new(object, "arguments", "some", "none"));
        }
        queues.entry(destination).or_default().insert(routing_key);
    }
    foreign(survey, &queues, obstacles);
    if queues.is_empty() {
        let object = format!("exchange {}", survey.exchange);
        obstacles.push(Obstacle::new(object, "bindings", "none to a queue", "one queue per shard"));
    }
    let all: BTreeSet<&str> = queues.values().flatten().copied().collect();
    // Beside the keys of the shards a queue may have others, such as those of an earlier design.
    let main = numbers::groups(&all).into_iter().next().map(|group| group.names).unwrap_or_default();
    let mut bound = Vec::new();
    for (name, keys) in queues {
        if keys.len() > 1 {
            let found = numbers::listed(keys.iter().copied());
            let object = format!("queue {name}");
            obstacles.push(Obstacle::new(object, "bindings", found, "one binding from the exchange"));
        }
        let key = keys.iter().find(|key| main.contains(*key)).or_else(|| keys.first());
        bound.extend(key.map(|key| Bound { name, key }));
    }
    bound
}

/// Bindings of other exchanges into the same queues, or into the exchange.
fn foreign(survey: &Survey, queues: &BTreeMap<&str, BTreeSet<&str>>, obstacles: &mut Vec<Obstacle>) {
    for binding in survey.bindings.iter().filter(|binding| binding.source != survey.exchange) {
        let ObservedBinding { source, destination, to_queue, routing_key, .. } = binding;
        let ours = match to_queue {
            true => queues.contains_key(destination.as_str()),
            false => *destination == survey.exchange,
        };
        if ours {
            let object = format!("binding {source} -> {destination} ({routing_key})");
            let needed = format!("bindings from {} alone", survey.exchange);
            obstacles.push(Obstacle::new(object, "source", source, needed));
        }
    }
}
