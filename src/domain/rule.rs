//! The shard rule of a generation: what decides where a key goes, and must never change under it.
//!
//! Recorded in every store by the first apply and compared ever after. Another count, hash or key moves keys
//! between queues while their earlier messages still wait in the old ones (T129).
//!
//! Invariant: per-key-order.

use super::{
    code::Code,
    observed::Value,
    plan::{Action, Change, FieldChange, Kind},
    topology::Topology,
};

/// Number of shards, hash and key of one generation of one topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardRule {
    /// Number of shards.
    pub count: u32,
    /// Name of the hash.
    pub hash: String,
    /// The key: a pointer, or `header:NAME`.
    pub key: String,
}

impl ShardRule {
    /// What the file says.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let shards = &topology.shards;
        Self { count: shards.count, hash: shards.hash.to_string(), key: shards.key.to_string() }
    }

    /// The fields that differ, `self` being what was recorded.
    #[must_use]
    pub fn differences(&self, wanted: &Self) -> Vec<FieldChange> {
        let number = |count: u32| Value::Integer(count.into());
        let text = |text: &str| Value::Text(text.to_owned());
        [
            ("shards.count", number(self.count), number(wanted.count)),
            ("shards.hash", text(&self.hash), text(&wanted.hash)),
            ("shards.key", text(&self.key), text(&wanted.key)),
        ]
        .into_iter()
        .filter(|(_, from, to)| from != to)
        .map(|(field, from, to)| FieldChange { field: field.to_owned(), from: Some(from), to: Some(to) })
        .collect()
    }
}

/// The refusal, when `recorded` differs from what `topology` says.
#[must_use]
pub fn refusal(topology: &Topology, recorded: &ShardRule) -> Option<Change> {
    let fields = recorded.differences(&ShardRule::of(topology));
    (!fields.is_empty()).then(|| Change {
        action: Action::Replace,
        kind: Kind::Store,
        name: format!("shards of {} in generation {}", topology.name, topology.shards.generation),
        fields,
        hazard: Some(Code::ShardRule),
        step: None,
    })
}
