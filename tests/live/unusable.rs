//! Brokers that can't be used: each failure has its kind, and no text holds a password.

use std::error::Error as _;

use topo::{
    domain::{plan::Action, topology::QueueKind},
    flows::{plan::plan, status::status, world::LookError},
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker,
    },
};

use crate::{
    harness::{
        ports,
        rabbitmq::{Vhost, broker},
    },
    ways::{Look, Ways, orders},
};

fn kind_and_text(error: &LinkError) -> (LinkKind, String) {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(" {error} {error:?}"));
        cause = error.source();
    }
    (error.kind, text)
}

#[tokio::test]
async fn a_broker_that_cannot_be_used_says_why_both_ways() {
    let vhost = Vhost::fresh("unusable");
    let topology = orders(&vhost, QueueKind::Quorum);
    let (amqp, management) = (vhost.amqp_url(), vhost.management_url());
    let free = ports::free();
    let dead = |url: &str, port: &str| url.replace(&format!(":{port}"), &format!(":{free}"));
    let amqp_port = broker().amqp_port().to_string();
    let management_port = management.rsplit(':').next().expect("a port").to_owned();
    let cases = [
        (
            format!("amqp://guest:guest@127.0.0.1:{amqp_port}/no%2Fsuch"),
            management.clone(),
            LinkKind::VhostMissing,
        ),
        (
            amqp.replace("guest:guest", "guest:Hunter2"),
            management.replace("guest:guest", "guest:Hunter2"),
            LinkKind::Refused,
        ),
        (dead(&amqp, &amqp_port), dead(&management, &management_port), LinkKind::Unreachable),
    ];
    for (amqp, management, expected) in cases {
        let ways = Ways::new(&amqp, &management);
        for broker in [&ways.amqp as &dyn TopologyBroker, &ways.management] {
            let error = broker.observe(&topology).await.expect_err("no such broker");
            let (kind, text) = kind_and_text(&error);
            assert_eq!(kind, expected, "{text}");
            assert!(!text.contains("Hunter2"), "{text}");
            let error = broker.stats(&["orders".to_owned()]).await.expect_err("no such broker");
            assert_eq!(error.kind, expected, "{error}");
        }
        // The flows report AMQP's failure, which is the one that counts.
        let world = ways.world(&topology, Look::Management);
        let Err(LookError::Broker(error)) = plan(&world).await else { panic!("a plan without a broker") };
        assert_eq!(error.kind, expected);
        assert_eq!(status(&world).await.expect_err("no broker").kind, expected);
    }
}

#[tokio::test]
async fn without_the_management_api_amqp_is_enough_and_the_plan_says_so() {
    let vhost = Vhost::fresh("without");
    let topology = orders(&vhost, QueueKind::Quorum);
    let management = format!("http://guest:guest@127.0.0.1:{}", ports::free());
    let ways = Ways::new(&vhost.amqp_url(), &management);
    let plan = ways.plan(&topology, Look::Management).await;
    assert_eq!(plan.count(Action::Create), 8);
    let said = plan.unchecked.join("; ");
    assert!(
        said.contains("seen through AMQP alone: can't reach the management API at http://127.0.0.1"),
        "{said}"
    );
    ways.apply(&topology, Look::Management).await.expect("an apply");
    let report = status(&ways.world(&topology, Look::Management)).await.expect("a status");
    assert!(report.healthy() && report.unchecked.len() == 1, "{report:?}");
}

#[tokio::test]
async fn a_server_that_is_no_management_api_is_told_apart() {
    let vhost = Vhost::fresh("other");
    let topology = orders(&vhost, QueueKind::Quorum);
    // The AMQP port answers HTTP with its protocol header and closes.
    let management = format!("http://guest:guest@127.0.0.1:{}", broker().amqp_port());
    let error =
        Ways::new(&vhost.amqp_url(), &management).management.observe(&topology).await.expect_err("no HTTP");
    assert_eq!(error.kind, LinkKind::Unreachable, "{error}");
}
