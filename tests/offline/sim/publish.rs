//! Publishing under faults: what is confirmed is stored, and each key's events are first stored in order.

use std::time::Duration;

use topo::{
    adapters::memory::broker::Faults,
    domain::topology::{Order, Publish},
};

use super::world::{World, accounted, for_each_seed};
use crate::support;

const HARD: Faults =
    Faults { publish_lost: 20, nacked: 40, returned: 30, silent: 3, consume_lost: 0, zombie: 0 };

async fn confirmed_and_in_order(seed: u64) -> Result<String, String> {
    let world = World::new(seed, 3);
    world.faults(HARD);
    let outcome = world.publish(7, 30, support::publish()).await;
    accounted(&outcome)?;
    if outcome.report.confirmed != 7 * 30 {
        return Err(format!("everything can be confirmed here: {:?}", outcome.report));
    }
    world.settle().await;
    for (key, order) in world.first_occurrences() {
        if order != (1..=30).collect::<Vec<i64>>() {
            return Err(format!("per-key-order: {key} was first stored as {order:?}"));
        }
    }
    Ok(world.trace.text())
}

#[test]
fn confirm_or_report_and_per_key_order_hold_under_nacks_returns_and_lost_connections() {
    for_each_seed(60, confirmed_and_in_order);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let traces = || for_each_seed(3, confirmed_and_in_order);
    assert_eq!(traces(), traces());
}

#[test]
fn without_the_gate_a_nack_reorders_a_key() {
    // The control: the faults of these simulations do break order when nothing prevents it.
    let pipelined = |seed| async move {
        let world = World::new(seed, 3);
        world.faults(HARD);
        let settings = Publish { order: Order::Pipelined, ..support::publish() };
        accounted(&world.publish(7, 30, settings).await)?;
        world.settle().await;
        let ordered = world.first_occurrences().values().all(|order| order.is_sorted());
        Ok(if ordered { "ordered" } else { "reordered" }.to_owned())
    };
    assert!(for_each_seed(10, pipelined).values().any(|verdict| verdict == "reordered"));
}

#[test]
fn a_key_that_gives_up_holds_its_followers_and_the_others_go_on() {
    let scenario = |seed| async move {
        let world = World::new(seed, 3);
        // Shard 1 has no queue: its messages are returned until they are given up.
        world.broker.unbind(&world.topology.routing_key(1));
        let settings = Publish { give_up_after: Duration::from_secs(5), ..support::publish() };
        let outcome = world.publish(9, 10, settings).await;
        accounted(&outcome)?;
        let report = &outcome.report;
        let lost_keys = u64::try_from(report.failed_keys.len()).unwrap();
        if lost_keys == 0 || report.failed != lost_keys || report.skipped != lost_keys * 9 {
            return Err(format!("one failed line and nine skipped ones per key: {report:?}"));
        }
        if report.confirmed != (9 - lost_keys) * 10 {
            return Err(format!("the other keys are confirmed: {report:?}"));
        }
        Ok(String::new())
    };
    for_each_seed(5, scenario);
}
