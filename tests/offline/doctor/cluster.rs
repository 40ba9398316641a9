//! Nodes, and how queues lie on them.

use topo::domain::{
    doctor::{
        Check,
        Status::{Problem, Unchecked, Warning},
        cluster,
        facts::{BrokerFacts, Node, Placement},
    },
    topology::QueueKind::{self, Classic, Quorum},
};

use super::{findings, well};
use crate::support::topology;

fn nodes(versions: &[&str]) -> Vec<Node> {
    let node = |(index, version): (usize, &&str)| Node {
        name: format!("n{index}"),
        running: !version.is_empty(),
        version: (!version.is_empty()).then(|| (*version).to_owned()),
    };
    versions.iter().enumerate().map(node).collect()
}

/// A queue led by the first of its members; `online` of them run.
fn queue(members: &[&str], online: usize) -> Placement {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    Placement {
        leader: members.first().map(|name| (*name).to_owned()),
        members: names(members),
        online: names(&members[..online]),
    }
}

fn judge(kind: QueueKind, versions: &[&str], queues: &[Placement]) -> Vec<Check> {
    let named = queues.iter().enumerate().map(|(index, queue)| (format!("q{index}"), queue.clone()));
    let facts = BrokerFacts { nodes: Ok(nodes(versions)), queues: named.collect(), ..well() };
    cluster::checks(&topology("amqp://localhost", 3, kind), &facts)
}

const ALL: &[&str] = &["n0", "n1", "n2"];

#[test]
fn one_node_and_three_with_all_members_are_well() {
    assert_eq!(findings(&judge(Quorum, &["4.3.6"], &[queue(&["n0"], 1)])), []);
    let spread = [queue(ALL, 3), queue(&["n1", "n2", "n0"], 3), queue(&["n2", "n0", "n1"], 3)];
    assert_eq!(findings(&judge(Quorum, &["4.3.6"; 3], &spread)), []);
}

#[test]
fn mixed_versions_and_stopped_nodes_are_problems() {
    let mixed = judge(Quorum, &["4.3.6", "4.2.1", "4.3.6"], &[]);
    assert_eq!(findings(&mixed), [("cluster.versions", Problem, 231)]);
    assert!(mixed[1].text.contains("4.2.1 on n1; 4.3.6 on n0, n2"), "{}", mixed[1].text);
    assert_eq!(findings(&judge(Quorum, &["4.3.6", ""], &[])), [("cluster.nodes", Problem, 242)]);
}

#[test]
fn too_few_replicas_are_named() {
    let few = judge(Quorum, &["4.3.6"; 3], &[queue(ALL, 3), queue(&["n1"], 1)]);
    assert_eq!(findings(&few), [("cluster.members", Problem, 233)]);
    assert!(few[2].text.contains("q1") && !few[2].text.contains("q0"), "{}", few[2].text);
    let stands = judge(Quorum, &["4.3.6"; 3], &[queue(ALL, 1)]);
    assert!(findings(&stands).contains(&("cluster.members", Problem, 233)));
    assert!(stands[2].text.contains("majority"), "{}", stands[2].text);
    let one_missing = judge(Quorum, &["4.3.6"; 3], &[queue(ALL, 2)]);
    assert_eq!(findings(&one_missing), [("cluster.members", Warning, 233)]);
    let two_nodes = judge(Quorum, &["4.3.6"; 2], &[queue(&["n0", "n1"], 2)]);
    assert_eq!(findings(&two_nodes), [("cluster.members", Warning, 233)]);
    let classic = judge(Classic, &["4.3.6"; 3], &[queue(&[], 0)]);
    assert_eq!(findings(&classic), [("cluster.members", Warning, 233)]);
}

#[test]
fn leaders_on_one_node_are_named() {
    let led = |counts: [usize; 3]| {
        let orders = [["n0", "n1", "n2"], ["n1", "n2", "n0"], ["n2", "n0", "n1"]];
        let queues: Vec<_> =
            counts.iter().zip(orders).flat_map(|(count, order)| vec![queue(&order, 3); *count]).collect();
        let checks = judge(Quorum, &["4.3.6"; 3], &queues);
        findings(&checks).contains(&("cluster.leaders", Warning, 234))
    };
    assert!(!led([4, 4, 4]) && !led([5, 4, 3]) && !led([1, 0, 0]) && !led([2, 1, 0]));
    assert!(led([12, 0, 0]) && led([8, 2, 2]) && led([0, 4, 0]));
}

#[test]
fn without_the_right_to_see_nodes_the_members_tell_the_size() {
    let facts = BrokerFacts {
        nodes: Err("needs monitoring".to_owned()),
        queues: [("q0".to_owned(), queue(ALL, 3)), ("q1".to_owned(), queue(&["n1"], 1))].into(),
        ..well()
    };
    let checks = cluster::checks(&topology("amqp://localhost", 3, Quorum), &facts);
    assert_eq!(
        findings(&checks),
        [
            ("cluster.nodes", Unchecked, 239),
            ("cluster.versions", Unchecked, 239),
            ("cluster.members", Problem, 233)
        ]
    );
}
