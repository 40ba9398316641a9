//! Policies, the default queue type and counts: recorded answers of three versions, and odd ones.

use topo::{
    adapters::management::answers::{default_queue_type, known_stats, policies, queues},
    domain::{
        observed::Value,
        policy::{ApplyTo, Author},
    },
};

#[test]
fn policies_are_read_with_typed_values() {
    let recorded = [
        [include_str!("3.10-policies.json"), include_str!("3.10-operator_policies.json")],
        [include_str!("4.0-policies.json"), include_str!("4.0-operator_policies.json")],
        [include_str!("4.3-policies.json"), include_str!("4.3-operator_policies.json")],
    ];
    for [user, operator] in recorded {
        let found = policies(user, Author::User).unwrap();
        let [ae, mixed] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(
            (ae.name.as_str(), ae.pattern.as_str(), ae.apply_to),
            ("ae", "^orders$", ApplyTo::Exchanges)
        );
        assert_eq!(ae.definition["alternate-exchange"], Value::Text("lost".to_owned()));
        assert_eq!((mixed.author, mixed.apply_to, mixed.priority), (Author::User, ApplyTo::All, 0));
        assert_eq!(mixed.definition["max-length"], Value::Integer(1000));
        let found = policies(operator, Author::Operator).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].author), ("ttl all", Author::Operator));
        assert_eq!(found[0].definition["message-ttl"], Value::Integer(60000));
    }
}

#[test]
fn odd_policies_are_read_as_far_as_they_go() {
    let body = r#"[
        {"name":"bare"},
        {"name":"odd","pattern":null,"apply-to":"clouds","priority":null,"definition":[],"more":{}},
        {"name":"float","priority":-3,"apply-to":"quorum_queues","definition":{"max-length":1000.0,"x":1.5}}
    ]"#;
    let found = policies(body, Author::User).unwrap();
    let [bare, odd, float] = found.as_slice() else { panic!("{found:?}") };
    for policy in [bare, odd] {
        assert_eq!((policy.pattern.as_str(), policy.apply_to, policy.priority), ("", ApplyTo::All, 0));
        assert!(policy.definition.is_empty());
    }
    assert_eq!((float.apply_to, float.priority), (ApplyTo::QuorumQueues, -3));
    assert_eq!(float.definition["max-length"], Value::Integer(1000));
    assert_eq!(float.definition["x"], Value::Other("1.5".to_owned()));
    assert!(policies("{}", Author::User).is_err());
}

#[test]
fn a_vhost_tells_its_default_queue_type() {
    assert_eq!(default_queue_type(include_str!("3.10-vhost.json")).unwrap(), None);
    for body in [include_str!("4.0-vhost.json"), include_str!("4.3-vhost.json")] {
        assert_eq!(default_queue_type(body).unwrap().as_deref(), Some("classic"));
    }
    for body in ["{}", r#"{"default_queue_type":null}"#, r#"{"default_queue_type":"undefined"}"#] {
        assert_eq!(default_queue_type(body).unwrap(), None);
    }
    let module = r#"{"default_queue_type":"rabbit_quorum_queue"}"#;
    assert_eq!(default_queue_type(module).unwrap().as_deref(), Some("quorum"));
}

#[test]
fn without_the_metrics_collector_queues_are_listed_and_not_counted() {
    let recorded = [
        include_str!("3.10-queues_no_metrics.json"),
        include_str!("4.0-queues_no_metrics.json"),
        include_str!("4.3-queues_no_metrics.json"),
    ];
    for body in recorded {
        let found = queues(body).unwrap();
        assert_eq!(found["orders.ledger.g1.0"].arguments["x-delivery-limit"], Value::Integer(1000));
        assert_eq!((found["plain"].kind.as_str(), found["plain"].durable), ("classic", true));
        assert!(known_stats(body).unwrap().is_empty());
    }
    for body in [include_str!("4.0-queues.json"), include_str!("4.3-queues.json")] {
        assert_eq!(known_stats(body).unwrap().keys().collect::<Vec<_>>(), ["orders.ledger.g1.0", "plain"]);
    }
}
