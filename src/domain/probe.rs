//! Probes: empty messages that `apply` sends through fresh bindings and takes out again.
//!
//! A binding that is listed is no proof that a message gets through: on a cluster it may not be on every node
//! yet (T59). A probe goes only where nobody else can meet it: the queue is empty, nobody consumes it, and
//! its program is ours. Should a consumer of topo meet one all the same, it knows it and skips it.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    envelope::{HEADER_KEY, HeaderValue, Incoming},
    observed::QueueStats,
    topology::Topology,
};

/// Header of a probe; its value is the probe's id.
pub const HEADER_PROBE: &str = "topo-probe";

/// Whether a delivery is a probe, so that skipping it loses nothing: it has no body and no key.
#[must_use]
pub fn is_probe(incoming: &Incoming) -> bool {
    matches!(incoming.headers.get(HEADER_PROBE), Some(HeaderValue::Text(_)))
        && incoming.body.is_empty()
        && !incoming.headers.contains_key(HEADER_KEY)
}

/// What the probes of one apply showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoutingProof {
    /// Shards whose probe came through to every queue.
    pub proven: BTreeSet<u32>,
    /// Shards without a probe, by the reason.
    pub not_probed: BTreeMap<String, BTreeSet<u32>>,
}

impl RoutingProof {
    /// Leaves shards out, and says why.
    pub fn skip(&mut self, reason: impl Into<String>, shards: impl IntoIterator<Item = u32>) {
        self.not_probed.entry(reason.into()).or_default().extend(shards);
    }
}

/// Why the topology's queues must not get a probe at all; `None`: they may.
#[must_use]
pub fn objection(topology: &Topology) -> Option<String> {
    let strangers: Vec<_> = topology
        .consumers
        .values()
        .filter(|consumer| consumer.handler.is_none())
        .map(|consumer| consumer.name.as_str())
        .collect();
    (!strangers.is_empty())
        .then(|| format!("consumed by a program that is not topo's: {}", strangers.join(", ")))
}

/// Why a queue must not get a probe now; `None`: it may.
#[must_use]
pub fn in_use(stats: Option<&QueueStats>) -> Option<&'static str> {
    match stats {
        None => Some("a queue is missing"),
        Some(QueueStats { ready: 1.., .. }) => Some("a queue holds messages"),
        Some(QueueStats { consumers: 1.., .. }) => Some("a queue is being consumed"),
        Some(_) => None,
    }
}
