//! The queues of a topology as they are: on a broker, or in an export of one.

use std::collections::BTreeMap;

use super::{
    Queue, QueueType, Role, VERSIONS,
    arguments::{Finding, judge},
};
use crate::domain::{
    desired::Desired,
    observed::{Observed, Value},
    version::BrokerVersion,
};

/// One finding and the queues that it holds for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnQueues {
    /// What is wrong.
    pub finding: Finding,
    /// Their names, in the order of the topology.
    pub queues: Vec<String>,
}

/// Equal queues.
type Alike<'a> = (Role, QueueType, &'a BTreeMap<String, Value>);

/// Judges each queue of the topology that exists and whose arguments can be seen, for the broker's version, else
/// for all. What holds for many queues is told once.
#[must_use]
pub fn queues(desired: &Desired, observed: &Observed) -> Vec<OnQueues> {
    let version = observed.broker_version.as_deref().and_then(BrokerVersion::parse);
    let versions = version.map_or_else(|| VERSIONS.to_vec(), |version| vec![version]);
    // Shards are alike: equal queues are judged once.
    let mut alike: BTreeMap<Alike<'_>, Vec<String>> = BTreeMap::new();
    let roles = [(Role::DeadLetter, &desired.dead_letters), (Role::Shard, &desired.queues)];
    for (role, wanted) in roles {
        for queue in wanted {
            let found = observed.queues.get(&queue.name).and_then(|found| found.details.as_ref());
            let Some(details) = found else { continue };
            let Some(kind) = QueueType::parse(&details.kind) else { continue };
            alike.entry((role, kind, &details.arguments)).or_default().push(queue.name.clone());
        }
    }
    let mut told: Vec<OnQueues> = Vec::new();
    for ((role, kind, arguments), names) in alike {
        for finding in judge(&Queue { role, kind, arguments }, &versions) {
            match told.iter_mut().find(|told| told.finding == finding) {
                Some(told) => told.queues.extend(names.iter().cloned()),
                None => told.push(OnQueues { finding, queues: names.clone() }),
            }
        }
    }
    told
}
