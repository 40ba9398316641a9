//! The two ways to a test's vhost, and what stands in it.

use topo::{
    adapters::{
        amqp::{connection::Endpoint, topology::AmqpTopology},
        management::ManagementClient,
    },
    domain::{
        plan::Plan,
        secret::Secret,
        topology::{QueueKind, Topology},
    },
    flows::{
        apply::{ApplyError, apply},
        plan::plan,
        world::World,
    },
    ports::topology::TopologyBroker,
};

use crate::{
    harness::rabbitmq::{Broker, Vhost, encode},
    support::topology,
};

/// How the broker is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Management,
    Amqp,
}

pub(crate) const LOOKS: [Look; 2] = [Look::Management, Look::Amqp];

/// The two ways to the vhost.
pub(crate) struct Ways {
    pub(crate) amqp: AmqpTopology,
    pub(crate) management: ManagementClient,
}

impl Ways {
    pub(crate) fn to(vhost: &Vhost<'_>) -> Self {
        Self::new(&vhost.amqp_url(), &vhost.management_url())
    }

    pub(crate) fn new(amqp: &str, management: &str) -> Self {
        let [amqp, management] = [amqp, management].map(|url| Secret::new(url, url));
        Self {
            management: ManagementClient::new(&amqp, Some(&management), None).expect("a URL"),
            amqp: AmqpTopology::new(Endpoint::new(&amqp, "topo test", None).expect("a URL")),
        }
    }

    pub(crate) fn world<'a>(&'a self, topology: &'a Topology, look: Look) -> World<'a> {
        let management = (look == Look::Management).then_some(&self.management as &dyn TopologyBroker);
        World { topology, amqp: &self.amqp, management, stores: &[] }
    }

    pub(crate) async fn plan(&self, topology: &Topology, look: Look) -> Plan {
        plan(&self.world(topology, look)).await.expect("a look")
    }

    pub(crate) async fn apply(&self, topology: &Topology, look: Look) -> Result<Plan, ApplyError> {
        let plan = self.plan(topology, look).await.approve().expect("nothing to refuse");
        apply(&self.world(topology, look), &plan, |_, _, _| {}).await
    }
}

pub(crate) fn orders(vhost: &Vhost<'_>, kind: QueueKind) -> Topology {
    topology(&vhost.amqp_url(), 3, kind)
}

/// Everything in the vhost, as the broker lists it, without what changes by itself.
pub(crate) fn snapshot(vhost: &Vhost<'_>) -> String {
    snapshot_of(vhost.broker(), vhost.name())
}

/// The same for a vhost that stays.
pub(crate) fn snapshot_of(broker: &Broker, vhost: &str) -> String {
    let list = |kind: &str, columns: &str| {
        let path = format!("/api/{kind}/{}?columns={columns}", encode(vhost));
        broker.management("GET", &path, "").1
    };
    let queues = list("queues", "name,type,durable,arguments");
    queues
        + &list("bindings", "source,destination,routing_key,arguments")
        + &list("exchanges", "name,type,durable")
}

pub(crate) fn put_queue(vhost: &Vhost<'_>, queue: &str, body: &str) {
    let (status, answer) = vhost.management("PUT", "queues", &format!("/{}", encode(queue)), body);
    assert_eq!(status, 201, "{answer}");
}
