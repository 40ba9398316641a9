//! Probing over a broker that returns, refuses and loses, in simulated time.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use topo::{
    adapters::memory::{chance::Chance, clock::RuntimeClock},
    domain::{
        consumer::{Handler, SqlFile},
        observed::{QueueStats, Sight},
        probe::RoutingProof,
        topology::{QueueKind, Topology},
    },
    flows::{
        apply::apply,
        plan::plan,
        probe::{ProbeError, bound_by, prove},
        world::World,
    },
    ports::{
        link::{LinkError, LinkKind},
        probe::{Heard, ProbeBroker, ProbeListener, Sent},
    },
};

use super::world::FakeBroker;
use crate::support::{name, topology};

/// What happens to probes, and how many ears are open.
struct Scripted {
    refuses_ears: bool,
    sent: Mutex<Vec<Result<Sent, LinkKind>>>,
    heard: Heard,
    open: Arc<Mutex<i32>>,
}

struct Ear(Heard, Arc<Mutex<i32>>);

#[async_trait]
impl ProbeListener for Ear {
    async fn hear(&mut self, _id: &str, _patience: Duration) -> Result<Heard, LinkError> {
        Ok(self.0)
    }

    async fn close(self: Box<Self>) -> Result<(), LinkError> {
        *self.1.lock().unwrap() -= 1;
        Ok(())
    }
}

#[async_trait]
impl ProbeBroker for Scripted {
    async fn listen(&self, _queue: &str) -> Result<Box<dyn ProbeListener>, LinkError> {
        if self.refuses_ears {
            return Err(LinkError::new(LinkKind::Refused, "read access refused"));
        }
        *self.open.lock().unwrap() += 1;
        Ok(Box::new(Ear(self.heard, Arc::clone(&self.open))))
    }

    /// The last answer of the script stands for ever.
    async fn send(&self, _exchange: &str, _key: &str, _id: &str) -> Result<Sent, LinkError> {
        let mut sent = self.sent.lock().unwrap();
        let answer = if sent.len() > 1 { sent.remove(0) } else { sent[0] };
        answer.map_err(|kind| LinkError::new(kind, "scripted"))
    }
}

fn orders() -> Topology {
    let mut topology = topology("amqp://127.0.0.1", 2, QueueKind::Quorum);
    let script = SqlFile { path: "handler.sql".into(), text: "SELECT 1".to_owned() };
    topology.consumers.get_mut(&name("ledger")).unwrap().handler = Some(Handler::Sql(script));
    topology
}

/// The outcome of probing both shards of a fresh topology; every ear is closed in the end.
async fn probed(
    topology: &Topology,
    stats: QueueStats,
    script: Scripted,
) -> Result<RoutingProof, ProbeError> {
    let mut broker = FakeBroker::new(Sight::Management);
    broker.stats = stats;
    let world = World { topology, amqp: &broker, management: Some(&broker), stores: &[] };
    let approved = plan(&world).await.unwrap().approve().unwrap();
    apply(&world, &approved, |_, _, _| {}).await.unwrap();
    let shards = bound_by(&world, approved.plan());
    assert_eq!(shards, BTreeSet::from([0, 1]));
    assert!(bound_by(&world, &plan(&world).await.unwrap()).is_empty());
    let clock = RuntimeClock::new(Arc::new(Chance::new(1)));
    let proof = prove(&world, &script, &clock, &shards).await;
    assert_eq!(*script.open.lock().unwrap(), 0, "every ear is closed");
    proof
}

fn scripted(sent: Vec<Result<Sent, LinkKind>>, heard: Heard) -> Scripted {
    Scripted { refuses_ears: false, sent: Mutex::new(sent), heard, open: Arc::default() }
}

fn reasons(proof: &RoutingProof) -> Vec<&str> {
    proof.not_probed.keys().map(String::as_str).collect()
}

#[tokio::test(start_paused = true)]
async fn a_binding_that_is_late_on_some_node_is_waited_for() {
    let late = vec![Ok(Sent::Returned), Ok(Sent::Returned), Ok(Sent::Nacked), Ok(Sent::Routed)];
    let proof = probed(&orders(), QueueStats::default(), scripted(late, Heard::Probe)).await.unwrap();
    assert_eq!((proof.proven.len(), proof.not_probed.len()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_never_finds_a_way_is_an_error_that_names_the_shard() {
    let never = scripted(vec![Ok(Sent::Returned)], Heard::Probe);
    let error = probed(&orders(), QueueStats::default(), never).await.unwrap_err();
    assert_eq!(error.to_string(), "a probe of shard 0 (orders.g1.0of2) came back without a route");
    let lost = scripted(vec![Ok(Sent::Routed)], Heard::Nothing);
    let error = probed(&orders(), QueueStats::default(), lost).await.unwrap_err();
    assert_eq!(error.to_string(), "a probe of shard 0 did not arrive in orders.ledger.g1.0");
    let gone = scripted(vec![Err(LinkKind::Lost)], Heard::Probe);
    let error = probed(&orders(), QueueStats::default(), gone).await.unwrap_err();
    assert!(matches!(error, ProbeError::Link { shard: 0, .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_user_without_the_rights_sends_nothing_and_is_no_failure() {
    let sends = || scripted(vec![Err(LinkKind::Refused)], Heard::Probe);
    let proof = probed(&orders(), QueueStats::default(), sends()).await.unwrap();
    assert_eq!(reasons(&proof), ["this user may not publish to the exchange"]);
    let deaf = Scripted { refuses_ears: true, ..scripted(vec![Ok(Sent::Routed)], Heard::Probe) };
    let proof = probed(&orders(), QueueStats::default(), deaf).await.unwrap();
    assert_eq!(reasons(&proof), ["this user may not read the queues"]);
}

#[tokio::test(start_paused = true)]
async fn queues_in_use_and_programs_of_others_get_none() {
    let never_sent = || scripted(vec![Err(LinkKind::Protocol)], Heard::Nothing);
    let held = QueueStats { ready: 1, ..QueueStats::default() };
    assert_eq!(reasons(&probed(&orders(), held, never_sent()).await.unwrap()), ["a queue holds messages"]);
    let consumed = QueueStats { consumers: 1, ..QueueStats::default() };
    assert_eq!(
        reasons(&probed(&orders(), consumed, never_sent()).await.unwrap()),
        ["a queue is being consumed"]
    );
    let mut strange = topology("amqp://127.0.0.1", 2, QueueKind::Quorum);
    strange.consumers.values_mut().for_each(|consumer| consumer.handler = None);
    let proof = probed(&strange, QueueStats::default(), never_sent()).await.unwrap();
    assert_eq!(reasons(&proof), ["consumed by a program that is not topo's: ledger"]);
}

#[tokio::test(start_paused = true)]
async fn a_real_message_that_comes_first_ends_the_probing_of_its_shard() {
    let busy = scripted(vec![Ok(Sent::Routed)], Heard::Message);
    let proof = probed(&orders(), QueueStats::default(), busy).await.unwrap();
    assert_eq!(reasons(&proof), ["a queue got messages meanwhile"]);
}
