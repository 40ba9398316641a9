//! The settings of the queues: what most of them have. Who differs is found by the comparison of plans.

use std::collections::BTreeMap;

use crate::domain::{
    desired::{DesiredQueue, shard_arguments},
    fit::{self, Fit},
    lint::{
        Queue, Role, VERSIONS,
        arguments::{Weight, judge_added},
    },
    observed::{ObservedQueue, QueueDetails, Value},
    template::Template,
    topology::{QueueKind, Queues},
    version::BrokerVersion,
};

/// Without one that can be used, the default of topology.yaml is what is missing.
const DELIVERY_LIMIT: u32 = 1000;

/// The section `queues` without its names.
pub(super) struct Settings {
    pub queues: Queues,
}

impl Settings {
    pub(super) fn of<'a>(
        queues: impl Iterator<Item = &'a QueueDetails> + Clone,
        version: Option<BrokerVersion>,
    ) -> Self {
        let number = |name: &'static str| {
            most_common(queues.clone().map(|queue| match queue.arguments.get(name) {
                Some(Value::Integer(number)) => u64::try_from(*number).ok().filter(|number| *number > 0),
                _ => None,
            }))
            .flatten()
        };
        let kinds = queues.clone().filter_map(|queue| {
            [QueueKind::Quorum, QueueKind::Classic].into_iter().find(|kind| kind.as_str() == queue.kind)
        });
        let kind = match most_common(kinds.map(|kind| kind == QueueKind::Classic)) {
            Some(true) => QueueKind::Classic,
            Some(false) | None => QueueKind::Quorum,
        };
        let limit = number("x-delivery-limit").and_then(|limit| i32::try_from(limit).ok());
        let delivery_limit = limit.map_or(DELIVERY_LIMIT, i32::unsigned_abs);
        Self {
            queues: Queues {
                name: Template::default(),
                kind,
                delivery_limit,
                max_length: number("x-max-length"),
                max_length_bytes: number("x-max-length-bytes"),
                dead_letter: Template::default(),
                arguments: shared(queues, kind, version),
            },
        }
    }

    /// Compares a queue with what these settings ask for.
    pub(super) fn fit(
        &self,
        name: &str,
        details: &QueueDetails,
        dead_letter: String,
        version: Option<BrokerVersion>,
    ) -> Fit {
        let arguments = shard_arguments(&self.queues, dead_letter);
        let wanted = DesiredQueue { name: name.to_owned(), kind: self.queues.kind, arguments };
        let found = ObservedQueue { details: Some(details.clone()), verdict: None };
        fit::queue(&wanted, Role::Shard, &found, version)
    }
}

/// Arguments that every queue has with one value and that topology.yaml may name.
fn shared<'a>(
    mut queues: impl Iterator<Item = &'a QueueDetails> + Clone,
    kind: QueueKind,
    version: Option<BrokerVersion>,
) -> BTreeMap<String, Value> {
    let versions = version.map_or_else(|| VERSIONS.to_vec(), |version| vec![version]);
    let Some(first) = queues.next() else { return BTreeMap::new() };
    let none = BTreeMap::new();
    let judged = Queue { role: Role::Shard, kind: kind.into(), arguments: &none };
    let arguments = first.arguments.iter().filter(|(name, value)| {
        let everywhere = queues.clone().all(|queue| queue.arguments.get(*name) == Some(*value));
        let findings = judge_added(&judged, name, value, &versions);
        let typed = !matches!(value, Value::Other(_));
        typed && everywhere && findings.iter().all(|finding| finding.weight <= Weight::Advice)
    });
    arguments.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The value that occurs most often; of several the least.
pub(super) fn most_common<T: Ord>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(value, _)| value)
}
