//! Existing objects that differ: refused, with both values of what differs, and nothing is changed.

use topo::domain::{
    code::Code,
    observed::Value,
    plan::{Action, FieldChange},
    topology::QueueKind,
};

use crate::{
    harness::rabbitmq::Vhost,
    ways::{LOOKS, Ways, orders, put_queue, snapshot},
};

#[tokio::test]
async fn a_queue_of_another_type_is_refused_with_both_values_and_nothing_changes() {
    for look in LOOKS {
        let vhost = Vhost::fresh("replace");
        let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Classic));
        // Equal but for the type: the broker names the first difference only.
        let dead = r#"{"durable":true,"arguments":{"x-queue-type":"quorum","x-overflow":"reject-publish"}}"#;
        put_queue(&vhost, "orders.ledger.dead", dead);
        let before = snapshot(&vhost);
        let plan = ways.plan(&topology, look).await;
        let replaced: Vec<_> = plan.changes.iter().filter(|c| c.action == Action::Replace).collect();
        assert_eq!(replaced.len(), 1, "{look:?}: {plan:?}");
        assert_eq!(replaced[0].name, "orders.ledger.dead");
        assert_eq!(replaced[0].hazard, Some(Code::Immutable));
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        let field = "x-queue-type".to_owned();
        assert_eq!(replaced[0].fields, [FieldChange { field, from: text("quorum"), to: text("classic") }]);
        assert!(plan.approve().is_none());
        assert_eq!(snapshot(&vhost), before);
    }
}

#[tokio::test]
async fn every_differing_argument_is_named_with_its_typed_values() {
    let number = |n| Some(Value::Integer(n));
    let text = |value: &str| Some(Value::Text(value.to_owned()));
    let base = r#""x-queue-type":"quorum","x-single-active-consumer":true,"x-overflow":"reject-publish","x-dead-letter-exchange":"","x-dead-letter-routing-key":"orders.ledger.dead","x-dead-letter-strategy":"at-least-once","x-queue-leader-locator":"balanced""#;
    let cases = [
        (format!(r#"{base},"x-delivery-limit":20"#), "x-delivery-limit", number(20), number(1000)),
        (base.to_owned(), "x-delivery-limit", None, number(1000)),
        (format!(r#"{base},"x-delivery-limit":1000,"x-max-length":5"#), "x-max-length", number(5), None),
        (
            format!(r#"{base},"x-delivery-limit":1000"#).replace("reject-publish", "drop-head"),
            "x-overflow",
            text("drop-head"),
            text("reject-publish"),
        ),
        (
            format!(r#"{base},"x-delivery-limit":1000"#).replace(r#""x-single-active-consumer":true,"#, ""),
            "x-single-active-consumer",
            None,
            Some(Value::Bool(true)),
        ),
    ];
    for (arguments, field, from, to) in cases {
        let vhost = Vhost::fresh("differs");
        let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
        put_queue(
            &vhost,
            "orders.ledger.g1.1",
            &format!(r#"{{"durable":true,"arguments":{{{arguments}}}}}"#),
        );
        for look in LOOKS {
            let plan = ways.plan(&topology, look).await;
            let change = plan.changes.iter().find(|c| c.action == Action::Replace).expect("a refusal");
            let expected = FieldChange { field: field.to_owned(), from: from.clone(), to: to.clone() };
            assert_eq!(
                (change.name.as_str(), &change.fields[..]),
                ("orders.ledger.g1.1", &[expected][..]),
                "{look:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_exchange_of_another_type_is_refused() {
    for look in LOOKS {
        let vhost = Vhost::fresh("exchange");
        let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
        vhost.management("PUT", "exchanges", "/orders", r#"{"type":"fanout","durable":true}"#);
        let plan = ways.plan(&topology, look).await;
        let change = plan.changes.iter().find(|c| c.action == Action::Replace).expect("a refusal");
        let text = |value: &str| Some(Value::Text(value.to_owned()));
        let field = FieldChange { field: "type".to_owned(), from: text("fanout"), to: text("direct") };
        assert_eq!((change.name.as_str(), &change.fields[..]), ("orders", &[field][..]), "{look:?}");
    }
}

#[tokio::test]
async fn a_classic_queue_whose_type_came_from_a_default_fits() {
    let vhost = Vhost::fresh("default");
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Classic));
    let untyped = r#"{"durable":true,"arguments":{"x-overflow":"reject-publish"}}"#;
    put_queue(&vhost, "orders.ledger.dead", untyped);
    for look in LOOKS {
        let plan = ways.plan(&topology, look).await;
        assert_eq!((plan.keep, plan.is_refused()), (1, false), "{look:?}: {plan:?}");
    }
}
