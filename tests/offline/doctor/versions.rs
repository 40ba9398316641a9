//! The table of versions with known defects (T49, T54, T67).

use topo::domain::{
    doctor::{Status, cluster, facts::Node, versions},
    topology::QueueKind::{self, Classic, Quorum},
};

use super::well;

/// Statuses in the order of the table.
fn statuses(told: &str, queues: QueueKind) -> Vec<Status> {
    versions::check(Some(told), queues).iter().map(|check| check.status).collect()
}

#[test]
fn each_range_ends_where_the_defect_was_mended() {
    use Status::{Ok, Problem, Warning};
    let cases: &[(&str, QueueKind, &[Status])] = &[
        ("3.10.0", Quorum, &[Warning, Warning]),
        ("RabbitMQ 3.10.8", Quorum, &[Warning, Warning]),
        ("3.10.8", Classic, &[Warning, Problem, Problem]),
        ("3.11.0", Classic, &[Warning, Problem]),
        ("3.13.7", Quorum, &[Warning, Warning]),
        ("3.13.7", Classic, &[Warning, Problem]),
        ("4.0.0", Quorum, &[Ok]),
        ("4.0.5", Classic, &[Problem]),
        ("4.1.4", Classic, &[Problem]),
        ("4.1.5", Classic, &[Ok]),
        ("4.2.0", Classic, &[Ok]),
        ("4.2.9", Quorum, &[Ok]),
        ("4.3.0", Quorum, &[Problem]),
        ("4.3.0+rc.1", Quorum, &[Problem]),
        ("4.3.5", Quorum, &[Problem]),
        ("4.3.5", Classic, &[Ok]),
        ("4.3.6", Quorum, &[Ok]),
        ("4.4.0", Quorum, &[Ok]),
    ];
    for (told, queues, expected) in cases {
        assert_eq!(statuses(told, *queues), *expected, "{told} {queues:?}");
    }
}

#[test]
fn a_finding_names_the_version_that_mends_it() {
    let checks = versions::check(Some("RabbitMQ 4.3.2"), Quorum);
    assert!(checks[0].text.contains("RabbitMQ 4.3.2") && checks[0].text.contains("mended in 4.3.6"));
    assert!(checks[0].help.as_ref().unwrap().contains("4.3.6"));
}

#[test]
fn an_unknown_version_is_unchecked() {
    for told in [None, Some("unknown"), Some("")] {
        assert_eq!(versions::check(told, Quorum)[0].status, Status::Unchecked, "{told:?}");
    }
}

#[test]
fn the_lowest_version_of_a_mixed_cluster_is_judged() {
    let node = |name: &str, version: &str| Node {
        name: name.to_owned(),
        running: true,
        version: Some(version.to_owned()),
    };
    let mut facts = well();
    facts.nodes = Ok(vec![node("a", "4.3.6"), node("b", "4.2.1"), node("c", "4.10.0")]);
    assert_eq!(cluster::lowest_version(&facts).as_deref(), Some("RabbitMQ 4.2.1"));
    facts.nodes = Err("hidden".to_owned());
    assert_eq!(cluster::lowest_version(&facts).as_deref(), Some("RabbitMQ 4.3.6"));
}
