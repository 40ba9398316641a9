//! Plan and apply on a real broker, seen through the management API and through AMQP alone.

use std::time::Duration;

use topo::domain::{
    code::Code,
    observed::Value,
    plan::{Action, FieldChange},
    topology::QueueKind,
};

use crate::{
    harness::rabbitmq::Vhost,
    support::{consumer, name},
    ways::{LOOKS, Look, Ways, orders, put_queue, snapshot},
};

const KINDS: [QueueKind; 2] = [QueueKind::Quorum, QueueKind::Classic];

#[tokio::test]
async fn apply_creates_everything_and_a_second_apply_changes_nothing() {
    for (kind, look) in KINDS.into_iter().flat_map(|kind| LOOKS.map(|look| (kind, look))) {
        let vhost = Vhost::fresh("apply");
        let (ways, topology) = (Ways::to(&vhost), orders(&vhost, kind));
        let first = ways.plan(&topology, look).await;
        // Exchange, dead-letter queue, three queues, three bindings.
        assert_eq!((first.count(Action::Create), first.changes.len(), first.keep), (8, 8, 0), "{look:?}");
        let left = ways.apply(&topology, look).await.expect("an apply");
        assert!(left.changes.is_empty(), "{look:?} {kind:?}: {left:?}");
        let made = snapshot(&vhost);
        assert_eq!(
            made.matches("orders.ledger.g1.").count(),
            3 + 2 * 3 + 3,
            "in queues, twice in default bindings, in own bindings: {made}"
        );

        ways.apply(&topology, look).await.expect("a second apply");
        assert_eq!(snapshot(&vhost), made);
        // What one look made, the other finds complete.
        for look in LOOKS {
            assert!(ways.plan(&topology, look).await.changes.is_empty(), "{look:?}");
        }
        ways.amqp.close().await;
    }
}

#[tokio::test]
async fn a_half_made_topology_is_completed() {
    for look in LOOKS {
        let vhost = Vhost::fresh("half");
        let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
        ways.apply(&topology, look).await.expect("an apply");
        let whole = snapshot(&vhost);
        // One queue with its binding, and one binding alone.
        vhost.management("DELETE", "queues", "/orders.ledger.g1.0", "");
        let binding = "/e/orders/q/orders.ledger.g1.2/orders.g1.2of3";
        assert_eq!(vhost.management("DELETE", "bindings", binding, "").0, 204);
        let plan = ways.plan(&topology, look).await;
        // The lone binding can't be missed through AMQP; it is made again all the same.
        let expected = if look == Look::Management { (3, 0) } else { (2, 2) };
        assert_eq!((plan.count(Action::Create), plan.ensure.len()), expected, "{look:?}: {plan:?}");
        ways.apply(&topology, look).await.expect("an apply");
        assert_eq!(snapshot(&vhost), whole, "{look:?}");
    }
}

#[tokio::test]
async fn names_with_any_character_work_both_ways() {
    for look in LOOKS {
        let vhost = Vhost::fresh("näme /%2f \"'日");
        let ways = Ways::to(&vhost);
        let mut topology = orders(&vhost, QueueKind::Classic);
        topology.name = name("or/ders %25 'q' \"d\" ü日");
        topology.exchange.name = topology.name.clone();
        topology.queues.max_length = Some(7);
        ways.apply(&topology, look).await.expect("an apply");
        for look in LOOKS {
            let plan = ways.plan(&topology, look).await;
            assert!(plan.changes.is_empty(), "{look:?}: {plan:?}");
        }
        // A refusal that must be read out of a text full of quotes.
        topology.queues.max_length = None;
        let plan = ways.plan(&topology, look).await;
        let refused = plan.changes.iter().find(|c| c.action == Action::Replace).expect("a refusal");
        let (field, from) = ("x-max-length".to_owned(), Some(Value::Integer(7)));
        assert_eq!(refused.fields, [FieldChange { field, from, to: None }], "{look:?}");
    }
}

#[tokio::test]
async fn foreign_bindings_are_reported_and_left_alone() {
    let vhost = Vhost::fresh("foreign");
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Quorum));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    put_queue(&vhost, "audit", r#"{"durable":true}"#);
    vhost.management("POST", "bindings", "/e/orders/q/audit", r#"{"routing_key":"orders.g1.0of3"}"#);
    vhost.management("POST", "bindings", "/e/amq.topic/q/orders.ledger.g1.0", r##"{"routing_key":"#"}"##);
    let before = snapshot(&vhost);
    let left = ways.apply(&topology, Look::Management).await.expect("foreign bindings do not stop an apply");
    let foreign: Vec<_> = left.changes.iter().map(|c| (c.action, c.name.as_str(), c.hazard)).collect();
    let expected = [
        (Action::Foreign, "amq.topic -> orders.ledger.g1.0 (#)", Some(Code::ForeignBinding)),
        (Action::Foreign, "orders -> audit (orders.g1.0of3)", Some(Code::ForeignRoute)),
    ];
    assert_eq!(foreign, expected);
    assert!(!left.is_empty() && !left.has_work());
    assert_eq!(snapshot(&vhost), before);
}

#[tokio::test]
async fn hundreds_of_shards_are_seen_and_made_in_seconds() {
    let vhost = Vhost::fresh("many");
    let (ways, mut topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Classic));
    topology.shards.count = 256;
    topology.consumers.insert(name("audit"), consumer("audit"));
    for look in LOOKS {
        tokio::time::timeout(Duration::from_secs(60), ways.apply(&topology, look))
            .await
            .expect("an apply in time")
            .expect("an apply");
    }
    assert_eq!(ways.plan(&topology, Look::Management).await.keep, 1 + 2 + 2 * 2 * 256);
}
