//! What can be seen with few rights, without statistics, and of topologies that somebody else declared.

use topo::domain::{
    code::Code,
    plan::{Action, Plan},
    topology::{QueueKind, Topology},
};

use super::{bind, made, set_policy};
use crate::{
    harness::rabbitmq::{Broker, Vhost, encode},
    ways::{LOOKS, Look, Ways, orders, put_queue},
};

/// A user with these tags and all permissions on the vhost; gives the URL of the management API for it.
fn user(vhost: &Vhost<'_>, tags: &str) -> String {
    let name = format!("user of {}", vhost.name());
    let body = format!(r#"{{"password":"p/w","tags":"{tags}"}}"#);
    let (status, answer) = vhost.broker().management("PUT", &format!("/api/users/{}", encode(&name)), &body);
    assert_eq!(status, 201, "{answer}");
    let all = r#"{"configure":".*","write":".*","read":".*"}"#;
    made(vhost, "PUT", "permissions", &format!("/{}", encode(&name)), all);
    let login = format!("http://{}:p%2Fw@", encode(&name));
    vhost.management_url().replace("http://guest:guest@", &login)
}

fn codes(plan: &Plan) -> Vec<Code> {
    plan.changes.iter().filter_map(|change| change.hazard).collect()
}

/// One of each that needs a list of its own.
fn drift(vhost: &Vhost<'_>) -> Vec<Code> {
    bind(vhost, "amq.topic", "q", "orders.ledger.g1.0", "a.b", "");
    set_policy(vhost, "policies", "ae", "^orders$", "exchanges", r#""alternate-exchange":"amq.fanout""#);
    set_policy(vhost, "operator-policies", "ttl", "", "queues", r#""message-ttl":60000"#);
    put_queue(vhost, "orders.gone.g1.0", r#"{"durable":true}"#);
    vec![Code::ForeignBinding, Code::AlternateExchange, Code::PolicyExpires, Code::Orphan]
}

#[tokio::test]
async fn the_management_tag_alone_shows_all_that_matters() {
    let vhost = Vhost::fresh("tag");
    let url = user(&vhost, "management");
    let (ways, topology) = (Ways::new(&vhost.amqp_url(), &url), orders(&vhost, QueueKind::Classic));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    let expected = drift(&vhost);
    let plan = ways.plan(&topology, Look::Management).await;
    assert_eq!(codes(&plan), expected);
    // A new queue is counted only after the statistics interval.
    assert!(plan.unchecked.iter().all(|said| said.contains("can't be counted now")), "{:?}", plan.unchecked);
    // A queue of another type may be the default's doing, which this user can't see.
    made(&vhost, "DELETE", "queues", "/orders.ledger.g1.1", "");
    put_queue(&vhost, "orders.ledger.g1.1", r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#);
    let plan = ways.plan(&topology, Look::Management).await;
    assert!(plan.is_refused());
    let said = plan.unchecked.join("; ");
    assert!(said.contains("the default queue type of the vhost was not checked"), "{said}");
}

#[tokio::test]
async fn without_the_tag_the_plan_says_what_it_did_not_check() {
    let vhost = Vhost::fresh("no tag");
    let url = user(&vhost, "");
    let (ways, topology) = (Ways::new(&vhost.amqp_url(), &url), orders(&vhost, QueueKind::Classic));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    drift(&vhost);
    let plan = ways.plan(&topology, Look::Management).await;
    assert!(plan.changes.is_empty());
    let said = plan.unchecked.join("; ");
    for unseen in ["bindings of others", "policies", "orphaned queues", "default queue type", "refused"] {
        assert!(said.contains(unseen), "{unseen}: {said}");
    }
}

#[tokio::test]
async fn a_broker_without_its_metrics_collector_is_seen_as_well() {
    let broker = Broker::start_with("management_agent.disable_metrics_collector = true\n");
    let vhost = broker.vhost("no metrics");
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let (ways, mut topology) = (Ways::to(&vhost), orders(&vhost, kind));
        topology.name = crate::support::name(kind.as_str());
        topology.exchange.name = topology.name.clone();
        ways.apply(&topology, Look::Management).await.expect("an apply");
        let plan = ways.plan(&topology, Look::Management).await;
        assert!(plan.changes.is_empty() && plan.unchecked.is_empty(), "{plan:?}");
    }
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Classic));
    ways.apply(&topology, Look::Management).await.expect("an apply");
    let expected = drift(&vhost);
    let plan = ways.plan(&topology, Look::Management).await;
    assert_eq!(codes(&plan), expected);
    assert_eq!(plan.unchecked, ["the messages of 1 orphans can't be counted now (orders.gone.g1.0 first)"]);
}

/// Declares what `topology` asks for the way people do with a script: JSON numbers, arguments in another
/// order, no hint about the leader, a leftover that means nothing.
fn declared_by_hand(vhost: &Vhost<'_>, topology: &Topology) {
    let quorum = topology.queues.kind == QueueKind::Quorum;
    let kind = topology.queues.kind.as_str();
    let (dead, shard) = if quorum {
        (
            r#","x-delivery-limit":1000000000"#,
            r#","x-dead-letter-strategy":"at-least-once","x-delivery-limit":1000,"x-quorum-initial-group-size":1"#,
        )
    } else {
        ("", r#","x-queue-version":2"#)
    };
    let queue = |name: &str, arguments: &str| {
        let arguments =
            format!(r#""x-overflow":"reject-publish","x-team":[1,"a"]{arguments},"x-queue-type":"{kind}""#);
        put_queue(vhost, name, &format!(r#"{{"durable":true,"arguments":{{{arguments}}}}}"#));
    };
    made(
        vhost,
        "PUT",
        "exchanges",
        "/orders",
        r#"{"type":"direct","durable":true,"arguments":{"x-team":1}}"#,
    );
    queue("orders.ledger.dead", dead);
    for number in 0..3 {
        let name = format!("orders.ledger.g1.{number}");
        let common = r#","x-dead-letter-routing-key":"orders.ledger.dead","x-dead-letter-exchange":"","x-single-active-consumer":true,"x-max-length":50"#;
        queue(&name, &format!("{common}{shard}"));
        bind(vhost, "orders", "q", &name, &format!("orders.g1.{number}of3"), "");
    }
}

#[tokio::test]
async fn what_somebody_else_declared_well_fits() {
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let vhost = Vhost::fresh("by hand");
        let (ways, mut topology) = (Ways::to(&vhost), orders(&vhost, kind));
        topology.queues.max_length = Some(50);
        declared_by_hand(&vhost, &topology);
        for look in LOOKS {
            let plan = ways.plan(&topology, look).await;
            assert!(plan.changes.is_empty(), "{kind:?} {look:?}: {plan:?}");
            let left = ways.apply(&topology, look).await.expect("an apply");
            assert!(left.is_empty(), "{kind:?} {look:?}: {left:?}");
        }
    }
}

#[tokio::test]
async fn a_default_queue_type_is_told_when_it_is_another() {
    let vhost = Vhost::fresh("default type");
    if vhost.broker().version() < (4, 0) {
        // Vhosts of 3.10 have no default.
        let plan = Ways::to(&vhost).plan(&orders(&vhost, QueueKind::Classic), Look::Management).await;
        assert_eq!(plan.count(Action::Foreign), 0);
        return;
    }
    let path = format!("/api/vhosts/{}", encode(vhost.name()));
    let (status, answer) = vhost.broker().management("PUT", &path, r#"{"default_queue_type":"quorum"}"#);
    assert!(matches!(status, 201 | 204), "{answer}");
    let (ways, topology) = (Ways::to(&vhost), orders(&vhost, QueueKind::Classic));
    let left = ways.apply(&topology, Look::Management).await.expect("an apply");
    assert_eq!(codes(&left), [Code::DefaultQueueType]);
    assert!(left.is_empty());
    let same = ways.plan(&orders(&vhost, QueueKind::Quorum), Look::Management).await;
    assert!(!codes(&same).contains(&Code::DefaultQueueType));
}
