//! What the probes of an apply showed.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::domain::probe::RoutingProof;

/// A line for what was proven, and one for each reason why something was not; nothing when nothing was tried.
#[must_use]
pub fn text(proof: &RoutingProof) -> String {
    let mut out = String::new();
    if !proof.proven.is_empty() {
        out.push_str(&format!("a probe came through every queue of {}\n", shards(&proof.proven)));
    }
    for (reason, left_out) in &proof.not_probed {
        out.push_str(&format!("not probed, {reason}: {}\n", shards(left_out)));
    }
    out
}

/// `shard 3`, `12 shards`.
fn shards(of: &BTreeSet<u32>) -> String {
    match (of.len(), of.first()) {
        (1, Some(shard)) => format!("shard {shard}"),
        (count, _) => format!("{count} shards"),
    }
}

/// The same in JSON.
#[derive(Serialize)]
pub(in crate::cli::view) struct ProbeJson<'a> {
    proven: &'a BTreeSet<u32>,
    not_probed: Vec<NotProbedJson<'a>>,
}

#[derive(Serialize)]
struct NotProbedJson<'a> {
    reason: &'a str,
    shards: &'a BTreeSet<u32>,
}

/// The fields of an apply's document.
pub(in crate::cli::view) fn document(proof: &RoutingProof) -> ProbeJson<'_> {
    let not_probed = proof.not_probed.iter().map(|(reason, shards)| NotProbedJson { reason, shards });
    ProbeJson { proven: &proof.proven, not_probed: not_probed.collect() }
}
