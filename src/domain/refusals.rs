//! Arguments of the file that the live broker would refuse, or that would break a promise on its version.
//!
//! topology.yaml is judged for every supported version, so an argument that only some of them take gets a
//! warning there; here the version is known. Such a queue is not made at all, and nothing else is either: the
//! plan is refused as a whole, before the first step. Existing queues are compared, not judged.
//!
//! When the broker's version can't be seen, that of the file is believed; without one the plan says so.

use std::collections::BTreeSet;

use super::{
    code::Code,
    desired::Desired,
    lint::{
        Queue, QueueType, Role,
        arguments::{Weight, judge_added},
        version_list,
    },
    observed::{Observed, Value},
    plan::{Action, FieldChange, Kind, Plan},
    topology::Topology,
    version::BrokerVersion,
};

/// Turns the creation of each queue that must not be made into a refusal.
pub(super) fn diff(topology: &Topology, desired: &Desired, observed: &Observed, plan: &mut Plan) {
    let seen = observed.broker_version.as_deref().and_then(BrokerVersion::parse);
    let promised = topology.broker.version;
    if let (Some(seen), Some(promised)) = (seen, promised)
        && (seen.major, seen.minor) != (promised.major, promised.minor)
    {
        plan.unchecked
            .push(format!("the broker runs {seen}; broker.version names {}", version_list(&[promised])));
    }
    let Some(version) = seen.or(promised) else {
        if !topology.queues.arguments.is_empty() {
            plan.unchecked.push("queues.arguments: the version of the broker can't be seen".to_owned());
        }
        return;
    };
    let fields = fields(topology, version);
    if fields.is_empty() {
        return;
    }
    let queues: BTreeSet<_> = desired.queues.iter().map(|queue| &queue.name).collect();
    for change in plan.changes.iter_mut().filter(|change| change.action == Action::Create) {
        if change.kind == Kind::Queue && queues.contains(&change.name) {
            change.fields.clone_from(&fields);
            change.hazard = Some(Code::ArgumentHazard);
            change.step = None;
        }
    }
}

/// What `version` says to the file's own arguments, in place of a live value.
fn fields(topology: &Topology, version: BrokerVersion) -> Vec<FieldChange> {
    let arguments = &topology.queues.arguments;
    let queue = Queue { role: Role::Shard, kind: QueueType::from(topology.queues.kind), arguments };
    let judged = arguments.iter().flat_map(|(name, value)| {
        let findings = judge_added(&queue, name, value, &[version]);
        findings.into_iter().map(move |finding| (name, value, finding))
    });
    judged
        .filter(|(_, _, finding)| finding.weight >= Weight::Hazard)
        .map(|(name, value, finding)| {
            let word = if finding.weight == Weight::Refused { "refused" } else { "harmful" };
            FieldChange {
                field: name.clone(),
                from: Some(Value::Other(format!("{word} on RabbitMQ {version}: it {}", finding.text))),
                to: Some(value.clone()),
            }
        })
        .collect()
}
