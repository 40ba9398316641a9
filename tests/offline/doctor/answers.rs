//! Answers of the management API about health, as several versions write them.

use topo::{
    adapters::management::answers::health::{
        alarms, date, disabled_flags, max_queues, nodes, permissions, placements, user,
    },
    domain::doctor::facts::{Flag, Node, Permissions},
};

#[test]
fn a_young_node_has_no_version_yet() {
    let body = r#"[{"name":"a","running":true,"applications":[{"name":"kernel","version":"8.5"},{"name":"rabbit","description":"RabbitMQ","version":"3.10.8"}]},
        {"name":"b","running":true},{"name":"c","running":false,"applications":null}]"#;
    let node = |name: &str, running, version: Option<&str>| Node {
        name: name.to_owned(),
        running,
        version: version.map(str::to_owned),
    };
    assert_eq!(
        nodes(body).unwrap(),
        [node("a", true, Some("3.10.8")), node("b", true, None), node("c", false, None)]
    );
}

#[test]
fn alarms_are_named_by_resource_and_node() {
    assert_eq!(alarms(r#"{"status":"ok"}"#).unwrap(), Vec::<String>::new());
    let body = r#"{"status":"failed","reason":"There are alarms in effect in the cluster","alarms":[{"node":"rabbit@a","resource":"memory"},{"node":"rabbit@b","resource":"disk"}]}"#;
    assert_eq!(alarms(body).unwrap(), ["memory on rabbit@a", "disk on rabbit@b"]);
    assert_eq!(alarms(r#"{"status":"failed","reason":"why"}"#).unwrap(), ["why"]);
    assert!(alarms("<html>").is_err());
}

#[test]
fn only_flags_that_are_not_enabled_are_kept() {
    let body = r#"[{"name":"a","state":"enabled","stability":"stable"},{"name":"b","state":"disabled","stability":"stable"},
        {"name":"c","state":"disabled","stability":"experimental"},{"name":"d","state":"state_changing"}]"#;
    let flag = |name: &str, experimental| Flag { name: name.to_owned(), experimental };
    assert_eq!(disabled_flags(body).unwrap(), [flag("b", false), flag("c", true)]);
}

#[test]
fn a_classic_queue_lies_on_its_node_and_a_quorum_queue_on_its_members() {
    let body = r#"[{"name":"c","node":"n0"},{"name":"q","leader":"n1","members":["n0","n1"],"online":["n1"],"node":"n1"},{"name":"young"}]"#;
    let found = placements(body).unwrap();
    assert_eq!(found["c"].leader.as_deref(), Some("n0"));
    assert_eq!((found["q"].members.len(), found["q"].online.len()), (2, 1));
    assert_eq!(found["young"].leader, None);
    // The queue's own members, and what a node that led it once remembers.
    let twice = r#"[{"name":"q","leader":"n0","members":["n0"],"members":["n0","n1"]}]"#;
    assert_eq!(placements(twice).unwrap()["q"].members, ["n0"]);
}

#[test]
fn limits_users_and_permissions() {
    assert_eq!(max_queues("[]").unwrap(), None);
    assert_eq!(max_queues(r#"[{"vhost":"/","value":{"max-connections":9}}]"#).unwrap(), None);
    assert_eq!(max_queues(r#"[{"vhost":"/","value":{"max-queues":5}}]"#).unwrap(), Some(5));
    for body in [r#"{"name":"u","tags":["a","b"]}"#, r#"{"name":"u","tags":"a,b"}"#] {
        assert_eq!(user(body).unwrap().tags, ["a", "b"]);
    }
    assert!(user(r#"{"name":"u","tags":""}"#).unwrap().tags.is_empty());
    let body = r#"[{"user":"u","vhost":"x","configure":"a","write":"b","read":"c"}]"#;
    assert_eq!(permissions(body, "x").unwrap().read, "c");
    assert_eq!(permissions(body, "/").unwrap(), Permissions::default());
}

#[test]
fn dates_of_http_are_seconds_since_1970() {
    for (text, seconds) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
        ("Thu, 29 Feb 2024 23:59:59 GMT", Some(1_709_251_199)),
        ("Fri, 01 Mar 2024 00:00:00 GMT", Some(1_709_251_200)),
        ("Mon, 30 Nov 2026 23:27:01 GMT", Some(1_796_081_221)),
        ("Sunday, 06-Nov-94 08:49:37 GMT", None),
        ("Thu, 01 Foo 1970 00:00:00 GMT", None),
        ("", None),
    ] {
        assert_eq!(date(text), seconds, "{text}");
    }
}
