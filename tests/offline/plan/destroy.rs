//! Taking a topology away: what is deleted in which order, what forbids it, and stopping at every step.

use std::{collections::BTreeMap, sync::Arc};

use topo::{
    adapters::memory::{chance::Chance, clock::RuntimeClock},
    domain::{
        code::Code,
        observed::{Observed, ObservedExchange, ObservedQueue, Orphan, QueueDetails, Sight, Value},
        policy::{ApplyTo, Author, Policy},
        teardown::{Refusal, Teardown, policy_name, teardown},
        topology::{QueueKind, Topology},
    },
    flows::destroy::{DestroyError, Destroyed, destroy, look},
};

use super::{
    standing::{Standing, counts},
    world::nothing,
};
use crate::support::topology;

fn clock() -> RuntimeClock {
    RuntimeClock::new(Arc::new(Chance::new(1)))
}

fn orders() -> Topology {
    topology("amqp://127.0.0.1", 2, QueueKind::Quorum)
}

async fn run(broker: &Standing, topology: &Topology, discard: bool) -> Result<Destroyed, DestroyError> {
    let (world, clock) = (broker.world(topology), clock());
    let approved = look(&world, &clock, discard).await.unwrap().approve().expect("nothing forbids it");
    destroy(&world, &clock, &approved, |_, _, _| {}).await
}

/// Whether nothing of the topology is left.
fn gone(observed: &Observed) -> bool {
    observed.exchange.is_none() && observed.queues.is_empty() && observed.bindings.iter().all(Vec::is_empty)
}

fn lines(down: &Teardown) -> Vec<String> {
    let line =
        |c: &topo::domain::plan::Change| format!("{} {} {}", c.action.as_str(), c.kind.as_str(), c.name);
    down.plan.changes.iter().map(line).collect()
}

#[tokio::test]
async fn bindings_go_first_then_queues_dead_letters_exchange_and_policy() {
    let topology = orders();
    let broker = Standing::with(&topology, Sight::Management).await;
    let policy = Policy {
        name: policy_name(&topology),
        author: Author::User,
        pattern: "^orders".to_owned(),
        apply_to: ApplyTo::Queues,
        priority: 1,
        definition: BTreeMap::new(),
    };
    let others = Policy { name: "others".to_owned(), ..policy.clone() };
    let operators = Policy { author: Author::Operator, ..policy.clone() };
    broker.inner.held.lock().unwrap().policies = Some(vec![others.clone(), policy]);
    let down = look(&broker.world(&topology), &clock(), false).await.unwrap();
    assert_eq!(
        lines(&down),
        [
            "delete binding orders -> orders.ledger.g1.0 (orders.g1.0of2)",
            "delete binding orders -> orders.ledger.g1.1 (orders.g1.1of2)",
            "delete queue orders.ledger.g1.0",
            "delete queue orders.ledger.g1.1",
            "delete queue orders.ledger.dead",
            "delete exchange orders",
            "delete policy topo.orders",
        ]
    );
    let done = run(&broker, &topology, false).await.unwrap();
    assert_eq!((done.steps, done.exchange_in_use), (7, false));
    assert!(gone(&broker.held()));
    assert_eq!(broker.held().policies, Some(vec![others]));
    // An operator's policy of that name is not ours.
    broker.inner.held.lock().unwrap().policies = Some(vec![operators]);
    assert!(look(&broker.world(&topology), &clock(), false).await.unwrap().plan.changes.is_empty());
}

#[tokio::test(start_paused = true)]
async fn stopped_at_any_step_and_run_again_it_ends_in_the_same_state() {
    let topology = orders();
    for sight in [Sight::Management, Sight::Amqp] {
        for stop in 0..6 {
            let broker = Standing::with(&topology, sight).await;
            *broker.inner.fails_after.lock().unwrap() = Some(stop);
            let error = run(&broker, &topology, false).await.unwrap_err();
            assert!(matches!(error, DestroyError::Step { done, .. } if done == stop), "{error:?}");
            *broker.inner.fails_after.lock().unwrap() = None;
            run(&broker, &topology, false).await.unwrap();
            assert!(gone(&broker.held()), "{sight:?} {stop}: {:?}", broker.held());
        }
        let broker = Standing::with(&topology, sight).await;
        run(&broker, &topology, false).await.unwrap();
        let again = look(&broker.world(&topology), &clock(), false).await.unwrap();
        assert!(again.plan.is_empty() && again.plan.ensure.is_empty(), "{again:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn confirm_or_report_messages_and_consumers_forbid_it() {
    let topology = orders();
    let (shard, dead) = ("orders.ledger.g1.1", "orders.ledger.dead");
    for sight in [Sight::Management, Sight::Amqp] {
        for (queue, stats, discard, expected) in [
            (shard, counts(3, 0, 0), false, Some(Code::MessagesRemain)),
            (shard, counts(0, 2, 1), false, Some(Code::MessagesRemain)),
            (dead, counts(1, 0, 0), false, Some(Code::MessagesRemain)),
            (shard, counts(0, 0, 1), false, Some(Code::InUse)),
            (shard, counts(3, 0, 0), true, None),
            (shard, counts(3, 1, 1), true, Some(Code::InUse)),
        ] {
            let broker = Standing::with(&topology, sight).await;
            broker.put(queue, stats.clone());
            let before = broker.held();
            let down = look(&broker.world(&topology), &clock(), discard).await.unwrap();
            let found = down.refusal.as_ref().map(Refusal::code);
            assert_eq!(found, expected, "{sight:?} {stats:?} {discard}");
            let count = down.counts.iter().find(|count| count.queue == queue).unwrap();
            assert_eq!((count.stats.ready, count.stats.consumers), (stats.ready, stats.consumers));
            assert_eq!(down.approve().is_none(), expected.is_some());
            assert_eq!(broker.held(), before, "a look changes nothing");
            if expected.is_none() {
                run(&broker, &topology, discard).await.unwrap();
                assert!(gone(&broker.held()));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_the_look_stops_it_before_that_queue_is_deleted() {
    let topology = orders();
    // Two bindings, two shard queues: after the second step the bindings are gone, after the third a queue.
    for (after, deleted) in [(1, 0), (2, 0), (3, 1)] {
        for late in [counts(5, 0, 0), counts(0, 0, 1)] {
            let broker = Standing::with(&topology, Sight::Management).await;
            broker.later.lock().unwrap().insert(after, ("orders.ledger.g1.1".to_owned(), late.clone()));
            let error = run(&broker, &topology, false).await.unwrap_err();
            let DestroyError::Refused { refusal, counts, done, .. } = error else { panic!("{error:?}") };
            let code = if late.ready > 0 { Code::MessagesRemain } else { Code::InUse };
            assert_eq!((refusal.code(), done), (code, 2 + deleted));
            assert!(counts.iter().any(|count| count.stats == late));
            assert_eq!(broker.held().queues.len(), 3 - deleted);
            assert!(broker.held().exchange.is_some());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn statistics_that_lag_are_waited_for_and_real_ones_are_believed() {
    let topology = orders();
    let broker = Standing::with(&topology, Sight::Management).await;
    broker.put("orders.ledger.g1.0", counts(0, 7, 0));
    let (world, clock) = (broker.world(&topology), clock());
    let stuck = look(&world, &clock, false).await;
    assert_eq!(stuck.unwrap().refusal.map(|r| r.code()), Some(Code::MessagesRemain));
    let settles = async {
        tokio::task::yield_now().await;
        broker.put("orders.ledger.g1.0", counts(0, 0, 0));
    };
    let (settled, ()) = tokio::join!(look(&world, &clock, false), settles);
    assert_eq!(settled.unwrap().refusal, None);
}

#[tokio::test]
async fn what_others_use_stays_and_is_named() {
    let topology = orders();
    let broker = Standing::with(&topology, Sight::Management).await;
    broker.bind("orders", "audit", true, "orders.g1.0of2");
    let down = look(&broker.world(&topology), &clock(), false).await.unwrap();
    assert!(
        down.exchange_in_use && down.kept.iter().any(|kept| kept.contains("exchange orders")),
        "{down:?}"
    );
    assert!(lines(&down).contains(&"foreign binding orders -> audit (orders.g1.0of2)".to_owned()));
    let done = run(&broker, &topology, false).await.unwrap();
    assert!(done.exchange_in_use);
    assert!(broker.held().exchange.is_some() && broker.held().queues.is_empty());
    let again = look(&broker.world(&topology), &clock(), false).await.unwrap();
    assert!(!again.plan.has_work() && again.exchange_in_use);

    // Through AMQP alone only the broker's refusal tells.
    let broker = Standing::with(&topology, Sight::Amqp).await;
    broker.bind("orders", "audit", true, "orders.g1.0of2");
    assert!(run(&broker, &topology, false).await.unwrap().exchange_in_use);
    // An exchange that others send through stays too: deleting it would hide their loss.
    let broker = Standing::with(&topology, Sight::Management).await;
    broker.bind("upstream", "orders", false, "#");
    assert!(run(&broker, &topology, false).await.unwrap().exchange_in_use);
}

#[tokio::test]
async fn a_queue_that_others_bind_is_deleted_only_when_its_messages_may_go() {
    let topology = orders();
    let broker = Standing::with(&topology, Sight::Management).await;
    broker.bind("upstream", "orders.ledger.g1.0", true, "#");
    let down = look(&broker.world(&topology), &clock(), false).await.unwrap();
    let bindings = vec!["upstream -> orders.ledger.g1.0 (#)".to_owned()];
    assert_eq!(down.refusal, Some(Refusal::Fed { bindings }));
    assert!(!down.exchange_in_use);
    run(&broker, &topology, true).await.unwrap();
    assert!(gone(&broker.held()));
    // Between our exchange and our queue every binding is ours, whatever its key.
    let broker = Standing::with(&topology, Sight::Management).await;
    broker.bind("orders", "orders.ledger.g1.0", true, "by hand");
    run(&broker, &topology, false).await.unwrap();
    assert!(gone(&broker.held()));
}

#[test]
fn a_dead_letter_queue_of_another_generation_s_queues_stays() {
    let topology = orders();
    let mut observed = nothing();
    let details = |arguments: BTreeMap<String, Value>| QueueDetails {
        kind: "quorum".to_owned(),
        durable: true,
        auto_delete: false,
        exclusive: false,
        arguments,
    };
    let target = Value::Text("orders.ledger.dead".to_owned());
    let old = details(BTreeMap::from([("x-dead-letter-routing-key".to_owned(), target)]));
    observed.exchange = Some(ObservedExchange { details: None, verdict: None });
    for name in ["orders.ledger.dead", "orders.ledger.g1.0"] {
        let queue = ObservedQueue { details: Some(details(BTreeMap::new())), verdict: None };
        observed.queues.insert(name.to_owned(), queue);
    }
    let orphan = Orphan { details: old, stats: Some(counts(4, 0, 0)), bindings: 0, fed: false };
    observed.orphans.insert("orders.ledger.g7.0".to_owned(), orphan);
    let down = teardown(&topology, &observed, Vec::new(), false);
    assert_eq!(lines(&down), ["delete queue orders.ledger.g1.0", "delete exchange orders"]);
    assert!(down.kept[0].contains("orders.ledger.dead"), "{:?}", down.kept);
}
