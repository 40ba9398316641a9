//! A cluster: its nodes, and how the topology's queues lie on them (T36, T65, T70).

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Check,
    facts::{BrokerFacts, Node, Placement},
    listed,
};
use crate::domain::{
    code::Code,
    topology::{QueueKind, Topology},
};

/// Replicas that let a queue go on when one node is lost.
const REPLICAS: usize = 3;

/// Everything about the cluster.
#[must_use]
pub fn checks(topology: &Topology, facts: &BrokerFacts) -> Vec<Check> {
    let mut checks = match &facts.nodes {
        Ok(nodes) => vec![down(nodes), versions(nodes)],
        Err(why) => vec![Check::unchecked("cluster.nodes", why), Check::unchecked("cluster.versions", why)],
    };
    if !facts.queues.is_empty() {
        let nodes = known_nodes(facts);
        checks.push(members(topology.queues.kind, facts, nodes));
        checks.extend(leaders(&facts.queues, nodes));
    }
    checks
}

/// The nodes of the cluster, or at least those that hold something of ours.
fn known_nodes(facts: &BrokerFacts) -> usize {
    if let Ok(nodes) = &facts.nodes {
        return nodes.len();
    }
    let places = facts.queues.values();
    let names: BTreeSet<_> = places.flat_map(|place| place.members.iter().chain(&place.leader)).collect();
    names.len()
}

/// The lowest version of the running nodes: behaviour follows it.
#[must_use]
pub fn lowest_version(facts: &BrokerFacts) -> Option<String> {
    let told = facts.nodes.iter().flatten().filter_map(|node| node.version.as_deref());
    let lowest = told.filter_map(crate::domain::version::BrokerVersion::parse).min();
    let own = facts.version.as_deref().and_then(crate::domain::version::BrokerVersion::parse);
    match lowest {
        Some(lowest) if own.is_none_or(|own| lowest < own) => Some(format!("RabbitMQ {lowest}")),
        _ => facts.version.clone(),
    }
}

fn down(nodes: &[Node]) -> Check {
    const NAME: &str = "cluster.nodes";
    let down: Vec<_> = nodes.iter().filter(|node| !node.running).map(|node| node.name.as_str()).collect();
    match (down.is_empty(), nodes.len()) {
        (true, 1) => Check::ok(NAME, "one node: when it stops, everything waits"),
        (true, count) => Check::ok(NAME, format!("{count} nodes run")),
        (false, count) => {
            let text = format!("{} of {count} nodes do not run: {}", down.len(), listed(down));
            Check::problem(NAME, Code::NodeDown, text)
        }
    }
}

fn versions(nodes: &[Node]) -> Check {
    const NAME: &str = "cluster.versions";
    let mut by_version: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in nodes.iter().filter(|node| node.running) {
        let Some(version) = &node.version else {
            let text = format!("{} has not told its version yet: try again in a few seconds", node.name);
            return Check::unchecked(NAME, text);
        };
        by_version.entry(version).or_default().push(&node.name);
    }
    match by_version.len() {
        0 | 1 => Check::ok(NAME, "the same on every node"),
        _ => {
            let parts =
                by_version.iter().map(|(version, nodes)| format!("{version} on {}", nodes.join(", ")));
            Check::problem(NAME, Code::MixedVersions, parts.collect::<Vec<_>>().join("; "))
        }
    }
}

fn members(kind: QueueKind, facts: &BrokerFacts, nodes: usize) -> Check {
    const NAME: &str = "cluster.members";
    let count = facts.queues.len();
    if nodes <= 1 {
        return Check::ok(NAME, format!("{count} queues on one node, without replicas"));
    }
    if kind == QueueKind::Classic {
        let text = format!("{count} classic queues have one replica each on a cluster of {nodes}");
        return Check::warning(NAME, Code::FewMembers, text).help(
            "Queues of type quorum have replicas. A lost node stops its classic queues until it is back.",
        );
    }
    let named = |test: &dyn Fn(&Placement) -> bool| -> Vec<&str> {
        facts.queues.iter().filter(|(_, place)| test(place)).map(|(name, _)| name.as_str()).collect()
    };
    let lost = named(&|place| place.online.len() * 2 <= place.members.len() && !place.members.is_empty());
    if !lost.is_empty() {
        let text = format!("without a majority of members: {}", listed(lost));
        return Check::problem(NAME, Code::FewMembers, text)
            .help("Start the missing nodes; until then these queues stand still.");
    }
    let wanted = REPLICAS.min(nodes);
    let few = named(&|place| place.members.len() < wanted);
    if !few.is_empty() {
        let text = format!("fewer than {wanted} members on a cluster of {nodes}: {}", listed(few));
        return Check::problem(NAME, Code::FewMembers, text);
    }
    let missing = named(&|place| place.online.len() < place.members.len());
    if !missing.is_empty() {
        let text = format!("a member is not online: {}", listed(missing));
        return Check::warning(NAME, Code::FewMembers, text)
            .help("Start the missing node; one more loss stops these queues.");
    }
    let text = format!("{count} queues with {wanted} members or more");
    if wanted < REPLICAS {
        return Check::warning(
            NAME,
            Code::FewMembers,
            format!("{text}: a cluster of {nodes} bears no loss of a node"),
        )
        .help("A third node lets the queues go on when one is lost.");
    }
    Check::ok(NAME, text)
}

fn leaders(queues: &BTreeMap<String, Placement>, nodes: usize) -> Option<Check> {
    const NAME: &str = "cluster.leaders";
    if nodes <= 1 {
        return None;
    }
    let mut led: BTreeMap<&str, usize> = BTreeMap::new();
    for leader in queues.values().filter_map(|place| place.leader.as_deref()) {
        *led.entry(leader).or_default() += 1;
    }
    let busiest = led.iter().max_by_key(|(_, count)| **count)?;
    let total: usize = led.values().sum();
    let text = format!("{} of {total} leaders on {}", busiest.1, busiest.0);
    // Half as much again as its share, and one.
    let uneven = busiest.1 * nodes * 2 > total * 3 + nodes * 2;
    Some(if uneven { Check::warning(NAME, Code::LeadersUneven, text) } else { Check::ok(NAME, text) })
}
