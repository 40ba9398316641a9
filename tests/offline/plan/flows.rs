//! Looking, applying and reporting, with brokers and stores that fail.

use std::{error::Error as _, path::PathBuf};

use topo::{
    domain::{
        code::Code,
        consumer::SqlFile,
        observed::Sight,
        rule::ShardRule,
        topology::{QueueKind, Topology},
    },
    flows::{
        apply::{ApplyError, apply},
        plan::plan,
        status::status,
        world::{LookError, World},
    },
    ports::{
        store::{ShardState, Store},
        topology::TopologyBroker,
    },
};

use super::{
    store::FakeStore,
    world::{DeadBroker, FakeBroker},
};
use crate::support::{name, topology};

fn orders() -> Topology {
    let mut topology = topology("amqp://127.0.0.1", 2, QueueKind::Quorum);
    let script = SqlFile { path: PathBuf::from("consumers/ledger/schema.sql"), text: "CREATE".to_owned() };
    topology.consumers.get_mut(&name("ledger")).unwrap().schema = Some(script);
    topology
}

fn world<'a>(topology: &'a Topology, amqp: &'a FakeBroker, stores: &'a [&'a dyn Store]) -> World<'a> {
    let management = (amqp.sight == Sight::Management).then_some(amqp as &dyn TopologyBroker);
    World { topology, amqp, management, stores }
}

#[tokio::test]
async fn apply_makes_broker_and_store_and_ends_with_an_empty_plan() {
    for sight in [Sight::Management, Sight::Amqp] {
        let (topology, broker, store) = (orders(), FakeBroker::new(sight), FakeStore::default());
        let stores: [&dyn Store; 1] = [&store];
        let world = world(&topology, &broker, &stores);
        let approved = plan(&world).await.unwrap().approve().unwrap();
        let mut told = Vec::new();
        let left = apply(&world, &approved, |done, total, _| told.push((done, total))).await.unwrap();
        assert!(left.changes.is_empty(), "{left:?}");
        assert_eq!(told, (1..=8).map(|done| (done, 8)).collect::<Vec<_>>());
        // A changed script runs again, an unchanged one does not.
        let again = plan(&world).await.unwrap().approve().unwrap();
        apply(&world, &again, |_, _, _| {}).await.unwrap();
        assert_eq!(store.ran.lock().unwrap().len(), 1);
        let mut changed = topology.clone();
        changed.consumers.get_mut(&name("ledger")).unwrap().schema.as_mut().unwrap().text.push(';');
        let world = World { topology: &changed, ..world };
        let third = plan(&world).await.unwrap().approve().unwrap();
        assert_eq!(third.plan().changes.len(), 1);
        apply(&world, &third, |_, _, _| {}).await.unwrap();
        assert_eq!(store.ran.lock().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_failed_step_says_how_far_it_came_and_can_be_run_again() {
    let (topology, broker, store) = (orders(), FakeBroker::new(Sight::Management), FakeStore::default());
    let stores: [&dyn Store; 1] = [&store];
    let world = world(&topology, &broker, &stores);
    let approved = plan(&world).await.unwrap().approve().unwrap();
    *broker.fails_after.lock().unwrap() = Some(3);
    let error = apply(&world, &approved, |_, _, _| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "step 4 of 8 failed: declare queue orders.ledger.g1.1");
    assert_eq!(error.source().unwrap().to_string(), "the broker is gone");
    assert!(matches!(error, ApplyError::Step { done: 3, total: 8, .. }));
    assert!(error.link().is_some());

    *broker.fails_after.lock().unwrap() = None;
    let rest = plan(&world).await.unwrap().approve().unwrap();
    assert_eq!((rest.plan().changes.len(), rest.plan().keep), (5, 3));
    assert!(apply(&world, &rest, |_, _, _| {}).await.unwrap().is_empty());
}

#[tokio::test]
async fn per_key_order_the_shard_rule_is_on_record_before_a_message_can_arrive() {
    let topology = orders();
    let broker = FakeBroker::new(Sight::Management);
    let store = FakeStore::default();
    let stores: [&dyn Store; 1] = [&store];
    let world = world(&topology, &broker, &stores);
    let approved = plan(&world).await.unwrap().approve().unwrap();
    // Two shards: the dead-letter queue, the exchange and two queues are made, the first binding fails.
    *broker.fails_after.lock().unwrap() = Some(4);
    let error = apply(&world, &approved, |_, _, _| ()).await.unwrap_err();
    assert!(error.to_string().contains("bind orders.ledger.g1.0"), "{error}");
    assert_eq!(*store.rule.lock().unwrap(), Some(ShardRule::of(&topology)));
}

#[tokio::test]
async fn a_world_that_differs_after_every_step_is_an_error() {
    let (topology, broker) = (orders(), FakeBroker::new(Sight::Management));
    let world = world(&topology, &broker, &[]);
    let approved = plan(&world).await.unwrap().approve().unwrap();
    // Somebody deletes a queue right after the last step.
    let error = apply(&world, &approved, |done, total, _| {
        if done == total {
            broker.held.lock().unwrap().queues.remove("orders.ledger.g1.0");
        }
    })
    .await
    .unwrap_err();
    let ApplyError::Unsettled(left) = error else { panic!("{error:?}") };
    assert_eq!(left.changes[0].name, "orders.ledger.g1.0");
}

#[tokio::test]
async fn without_management_the_look_goes_through_amqp_and_says_why() {
    let (topology, amqp) = (orders(), FakeBroker::new(Sight::Amqp));
    let world = World { topology: &topology, amqp: &amqp, management: Some(&DeadBroker), stores: &[] };
    let said = plan(&world).await.unwrap().unchecked;
    let reason = "seen through AMQP alone: nobody answers: connection refused";
    assert!(said.contains(&reason.to_owned()), "{said:?}");
    let world = World { amqp: &DeadBroker, ..world };
    assert!(matches!(plan(&world).await, Err(LookError::Broker(_))));
}

#[tokio::test]
async fn a_store_that_cannot_be_seen_stops_a_plan_and_is_named() {
    let (topology, broker) = (orders(), FakeBroker::new(Sight::Management));
    let store = FakeStore { dead: true, ..FakeStore::default() };
    let stores: [&dyn Store; 1] = [&store];
    let error = plan(&world(&topology, &broker, &stores)).await.unwrap_err();
    assert_eq!(error.to_string(), "can't look at store sqlite:topo.db");
}

#[tokio::test]
async fn status_joins_counts_and_owners() {
    let (topology, broker) = (orders(), FakeBroker::new(Sight::Management));
    let state = ShardState {
        shard: 1,
        epoch: 7,
        owner: Some("host-1".to_owned()),
        position: 10,
        last_processed_at_ms: Some(5),
        paused: false,
        parked_keys: 1,
        parked_messages: 2,
    };
    let store = FakeStore { shards: vec![state], ..FakeStore::default() };
    let stores: [&dyn Store; 1] = [&store];
    let world = world(&topology, &broker, &stores);
    let approved = plan(&world).await.unwrap().approve().unwrap();
    apply(&world, &approved, |_, _, _| {}).await.unwrap();
    let report = status(&world).await.unwrap();
    assert!(report.healthy(), "{report:?}");
    let rows: Vec<_> =
        report.shards.iter().map(|s| (s.shard, s.epoch, s.owner.as_deref(), s.parked_messages)).collect();
    assert_eq!(rows, [(0, 0, None, 0), (1, 7, Some("host-1"), 2)]);
}

#[tokio::test]
async fn status_reports_a_dead_store_and_idle_messages_but_not_paused_ones() {
    let (topology, mut broker) = (orders(), FakeBroker::new(Sight::Management));
    let approved = plan(&world(&topology, &broker, &[])).await.unwrap().approve().unwrap();
    apply(&world(&topology, &broker, &[]), &approved, |_, _, _| {}).await.unwrap();
    (broker.stats.ready, broker.stats.consumers) = (3, 0);
    let paused = ShardState { shard: 1, paused: true, ..ShardState::default() };
    for (dead, expected) in [
        (
            true,
            vec![
                (Code::StoreUnreachable, "store sqlite:topo.db: no database"),
                (
                    Code::NoConsumer,
                    "6 messages wait without a consumer: 2 of 2 queues of ledger (orders.ledger.g1.0, orders.ledger.g1.1)",
                ),
                (Code::DeadLettered, "3 messages in orders.ledger.dead"),
            ],
        ),
        (
            false,
            vec![
                (Code::NoConsumer, "3 messages wait without a consumer: queue orders.ledger.g1.0"),
                (Code::DeadLettered, "3 messages in orders.ledger.dead"),
            ],
        ),
    ] {
        let store = FakeStore { dead, shards: vec![paused.clone()], ..FakeStore::default() };
        let stores: [&dyn Store; 1] = [&store];
        let report = status(&world(&topology, &broker, &stores)).await.unwrap();
        let problems: Vec<_> = report.problems.iter().map(|p| (p.code, p.text.as_str())).collect();
        assert_eq!(problems, expected);
    }
}
