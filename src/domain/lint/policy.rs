//! What the keys of policies would do to the objects of a topology.
//!
//! Owns the result and the keys that a queue type can't have. What a key does together with arguments and
//! the other policy is decided in `effective`; a key that changes nothing gives no hazard.
//!
//! Does not decide which policies match: the caller has filtered by pattern, `apply-to` and
//! [`is_applicable`], then by priority.

use std::collections::BTreeMap;

use super::{
    Queue, QueueType,
    effective::{self, Effective},
};
use crate::domain::{
    code::Code,
    observed::Value,
    policy::{Author, Policy},
    version::BrokerVersion,
};

/// The object that policies apply to.
#[derive(Debug, Clone, Copy)]
pub enum Target<'a> {
    /// The exchange of the topology.
    Exchange,
    /// A queue of the topology.
    Queue(Queue<'a>),
}

/// One key of one policy that breaks a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyHazard {
    /// Which promise.
    pub code: Code,
    /// The policy's name.
    pub policy: String,
    /// Who made it.
    pub author: Author,
    /// The key of its definition.
    pub key: String,
    /// The key's value.
    pub value: Value,
    /// What it does, as the end of a sentence that begins with the key.
    pub text: String,
}

/// Whether brokers let a policy with this definition apply to a queue of this type: one key that the type
/// can't have, and none of its keys counts. Without a version the answer is yes when some version says so.
#[must_use]
pub fn is_applicable(
    definition: &BTreeMap<String, Value>,
    kind: QueueType,
    version: Option<BrokerVersion>,
) -> bool {
    definition.keys().all(|key| !is_foreign(key, kind, version))
}

fn is_foreign(key: &str, kind: QueueType, version: Option<BrokerVersion>) -> bool {
    let from_4 = version.is_some_and(|v| v.at_least(4, 0));
    let before_4 = version.is_some_and(|v| !v.at_least(4, 0));
    match key {
        "max-age" | "stream-max-segment-size-bytes" | "initial-cluster-size" => kind != QueueType::Stream,
        "delivery-limit" | "dead-letter-strategy" => kind != QueueType::Quorum,
        "queue-mode" | "queue-master-locator" => kind != QueueType::Classic,
        "ha-mode" | "ha-params" | "ha-sync-mode" | "ha-promote-on-shutdown" | "ha-promote-on-failure" => {
            kind != QueueType::Classic
        }
        "max-in-memory-length" | "max-in-memory-bytes" => match kind {
            QueueType::Classic => from_4,
            QueueType::Quorum => false,
            QueueType::Stream => true,
        },
        "target-group-size" => kind != QueueType::Quorum,
        "queue-leader-locator" => kind == QueueType::Classic && before_4,
        "expires"
        | "message-ttl"
        | "dead-letter-exchange"
        | "dead-letter-routing-key"
        | "max-length"
        | "overflow" => kind == QueueType::Stream,
        _ => false,
    }
}

/// What the policies in force do to `target`: at most one of each author, already known to match.
#[must_use]
pub fn hazards(
    in_force: &[&Policy],
    target: Target<'_>,
    version: Option<BrokerVersion>,
) -> Vec<PolicyHazard> {
    let effective = Effective::of(in_force, version);
    let mut found = Vec::new();
    for policy in in_force {
        for (key, value) in &policy.definition {
            let judged = match target {
                Target::Exchange => effective::exchange(key),
                Target::Queue(queue) => effective.queue(key, value, policy, &queue),
            };
            found.extend(judged.map(|(code, text)| PolicyHazard {
                code,
                policy: policy.name.clone(),
                author: policy.author,
                key: key.clone(),
                value: value.clone(),
                text,
            }));
        }
    }
    found
}
