//! plan-is-what-runs: whatever is there already, carrying out the plan makes the next plan empty.

use proptest::{collection::vec, prelude::*};
use topo::domain::{
    diff::diff,
    observed::{Observed, ObservedBinding, ObservedQueue, Value},
    plan::Step,
    topology::{QueueKind, Topology},
};

use super::world::{carry_out, nothing, through_amqp};
use crate::support::{consumer, name, topology};

/// A topology with 1 to 6 shards and 1 to 3 consumers.
fn topologies() -> impl Strategy<Value = Topology> {
    let kinds = prop_oneof![Just(QueueKind::Quorum), Just(QueueKind::Classic)];
    (1_u32..=6, 1_usize..=3, kinds, proptest::option::of(1_u64..1_000_000)).prop_map(
        |(shards, consumers, kind, max_length)| {
            let mut topology = topology("amqp://127.0.0.1", shards, kind);
            topology.queues.max_length = max_length;
            for consumer_name in ["audit", "mail", "stock"].into_iter().take(consumers - 1) {
                topology.consumers.insert(name(consumer_name), consumer(consumer_name));
            }
            topology
        },
    )
}

fn steps(topology: &Topology, world: &Observed) -> Vec<Step> {
    let plan = diff(topology, world, &[]);
    plan.changes.into_iter().filter_map(|change| change.step).chain(plan.ensure).collect()
}

/// A world in which some of the plan's steps were done before.
fn half_made(topology: &Topology, done: &[bool]) -> Observed {
    let mut world = nothing();
    for (step, done) in steps(topology, &world).iter().zip(done) {
        let bindable = match step {
            Step::Binding { queue, .. } => world.exchange.is_some() && world.queues.contains_key(queue),
            _ => true,
        };
        if *done && bindable {
            carry_out(&mut world, step);
        }
    }
    world
}

/// Whether the queue was declared with this limit, or is no shard queue.
fn has_limit(queue: &ObservedQueue, limit: Option<u64>) -> bool {
    let arguments = &queue.details.as_ref().unwrap().arguments;
    let limit = limit.map(|limit| Value::Integer(limit.try_into().unwrap()));
    !arguments.contains_key("x-dead-letter-routing-key") || arguments.get("x-max-length") == limit.as_ref()
}

proptest! {
    #[test]
    fn a_carried_out_plan_leaves_nothing_to_do(
        topology in topologies(),
        done in vec(any::<bool>(), 64),
        foreign in vec("[a-z]{1,8}", 0..3),
        lowered in (proptest::option::of(1_u64..1_000), proptest::option::of(1_u64..1_000)),
        raised in any::<bool>(),
    ) {
        let mut topology = topology;
        let mut world = half_made(&topology, &done);
        // Every change of limits that does not need a new generation; up to the argument it can be undone.
        if let Some(limit) = lowered.0 {
            let before = topology.queues.max_length;
            topology.queues.max_length = Some(before.map_or(limit, |before| before.min(limit)));
            for step in steps(&topology, &world) {
                carry_out(&mut world, &step);
            }
            if raised && world.queues.values().all(|queue| has_limit(queue, before)) {
                topology.queues.max_length = before;
            }
        }
        topology.queues.max_length_bytes = lowered.1;
        for source in foreign {
            let destination = world.queues.keys().next().cloned().unwrap_or_default();
            let binding = ObservedBinding {
                source, destination, to_queue: true, routing_key: "k".to_owned(), has_arguments: false,
            };
            world.bindings.as_mut().unwrap().push(binding);
        }
        for step in steps(&topology, &world) {
            carry_out(&mut world, &step);
        }
        let next = diff(&topology, &world, &[]);
        prop_assert!(!next.has_work() && next.ensure.is_empty(), "{next:?}");
    }

    #[test]
    fn through_amqp_alone_the_same_world_comes_out(topology in topologies(), done in vec(any::<bool>(), 64)) {
        let mut seen = half_made(&topology, &done);
        let mut blind = seen.clone();
        for step in steps(&topology, &seen) {
            carry_out(&mut seen, &step);
        }
        for step in steps(&topology, &through_amqp(blind.clone())) {
            carry_out(&mut blind, &step);
        }
        seen.bindings.as_mut().unwrap().sort();
        blind.bindings.as_mut().unwrap().sort();
        prop_assert_eq!(&seen, &blind);
        prop_assert!(diff(&topology, &through_amqp(blind), &[]).is_empty());
    }
}
