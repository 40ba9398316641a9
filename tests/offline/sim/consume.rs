//! Consuming under faults: effects once and in order, whatever crashes in between.
//!
//! Every simulation ends with an empty broker: a message that was acknowledged before its commit is then
//! missing from the effects.
//!
//! Invariants: effect-once, per-key-order, ack-after-commit, drain-loses-nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use tokio::task::JoinHandle;
use topo::{
    adapters::memory::{
        broker::Faults,
        store::{self, MemoryStore},
    },
    domain::{consumer::SqlFile, route::ShardMap},
    flows::consume::{self, Ended, Job, Limits},
    ports::{clock::Clock, store::Store},
};

use super::world::{World, accounted, for_each_seed};
use crate::support;

const SHARDS: u32 = 3;
const KEYS: u64 = 7;
const EVENTS: u64 = 20;

const HARD: Faults =
    Faults { publish_lost: 10, nacked: 20, returned: 10, silent: 2, consume_lost: 15, zombie: 15 };

impl World {
    fn consumer(&self, owner: String, limits: Limits) -> Job {
        Job {
            consumer: support::consumer("ledger"),
            handler: SqlFile { path: "handler.sql".into(), text: String::new() },
            key: self.topology.shards.key.clone(),
            map: ShardMap::new(&self.topology),
            shards: (0..SHARDS).map(|s| (s, self.topology.queue(&support::name("ledger"), s))).collect(),
            broker: Arc::new(self.broker.clone()),
            stats: None,
            store: Arc::new(self.store.clone()),
            fields: Arc::new(support::FlatReader),
            clock: Arc::<topo::adapters::memory::clock::RuntimeClock>::clone(&self.clock),
            observer: Arc::<super::world::Trace>::clone(&self.trace),
            owner,
            limits,
            stop: self.stop.subscribe(),
        }
    }

    /// A consumer process; aborting it is a kill.
    fn process(&self, number: u64) -> JoinHandle<consume::Outcome> {
        tokio::spawn(consume::run(self.consumer(format!("p{number}"), Limits::default())))
    }

    async fn wait(&self, at_most_ms: u64) {
        self.clock.sleep(Duration::from_millis(self.chance.below(at_most_ms) + 1)).await;
    }

    /// Two processes; every now and then one is killed, or the store has a bad moment.
    async fn unrest(&self) {
        let mut processes = [self.process(0), self.process(1)];
        for number in 2.. {
            self.wait(400).await;
            let bad = self.chance.below(6);
            self.store.faults(|f| match bad {
                0 => f.commits_lost_after += 1,
                1 => f.commits_lost_before += 1,
                2 => f.commits_refused += 1,
                3 => f.begins += 1,
                _ => {}
            });
            if bad == 4 {
                self.store.cut_connections();
            }
            if let Some(victim) = processes.get_mut(usize::try_from(number % 2).unwrap()) {
                victim.abort();
                *victim = self.process(number);
            }
        }
    }

    async fn consume_until_empty(&self) -> consume::Outcome {
        self.broker.set_faults(Faults::default());
        self.store.faults(|f| *f = store::Faults::default());
        consume::run(self.consumer("last".to_owned(), Limits { until_empty: true, ..Limits::default() }))
            .await
    }
}

/// effect-once, per-key-order, and positions without gaps.
fn judge(store: &MemoryStore, per_key: &[i64]) -> Result<(), String> {
    let mut keys: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for effect in store.effects() {
        keys.entry(effect.key).or_default().push(effect.sequence.unwrap());
    }
    if keys.len() != usize::try_from(KEYS).unwrap() {
        return Err(format!("no-loss: effects of {} keys", keys.len()));
    }
    for (key, order) in &keys {
        if order != per_key {
            return Err(format!("effect-once or per-key-order: {key} was applied as {order:?}"));
        }
    }
    let mut positions: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for row in store.processed("ledger") {
        positions.entry(row.shard.shard).or_default().push(row.position);
    }
    for (shard, mut row) in positions {
        row.sort_unstable();
        if row != (1..=u64::try_from(row.len()).unwrap()).collect::<Vec<_>>() {
            return Err(format!("positions of shard {shard} have a gap: {row:?}"));
        }
    }
    Ok(())
}

async fn once_and_in_order(seed: u64) -> Result<String, String> {
    let world = World::new(seed, SHARDS);
    world.store.migrate().await.unwrap();
    world.faults(HARD);
    let outcome = {
        let settings = support::publish();
        let publishing = world.publish(KEYS, EVENTS, settings);
        tokio::select! {
            biased;
            outcome = publishing => outcome,
            () = world.unrest() => unreachable!("never ends"),
        }
    };
    accounted(&outcome)?;
    world.settle().await;
    let outcome = world.consume_until_empty().await;
    if !matches!(outcome.ended, Ended::Complete) || !outcome.report.blocked.is_empty() {
        return Err(format!("the last consumer did not finish: {outcome:?}"));
    }
    if world.broker.depth() != 0 {
        return Err(format!("{} messages are left", world.broker.depth()));
    }
    judge(&world.store, &(1..=i64::try_from(EVENTS).unwrap()).collect::<Vec<_>>())?;
    Ok(world.trace.text())
}

#[test]
fn effect_once_and_per_key_order_hold_under_kills_zombies_and_lost_commits() {
    for_each_seed(60, once_and_in_order);
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let traces = || for_each_seed(3, once_and_in_order);
    assert!(traces() == traces(), "a seed must be replayable");
}

#[test]
fn drain_loses_nothing_when_a_consumer_is_stopped() {
    let scenario = |seed| async move {
        let world = World::new(seed, SHARDS);
        world.store.migrate().await.unwrap();
        accounted(&world.publish(KEYS, EVENTS, support::publish()).await)?;
        let running = world.process(0);
        world.wait(3).await;
        world.stop.send_replace(true);
        let outcome = running.await.unwrap();
        if !matches!(outcome.ended, Ended::Interrupted) {
            return Err(format!("{outcome:?}"));
        }
        world.stop.send_replace(false);
        let rest = world.consume_until_empty().await;
        let (first, second) = (outcome.report.total, rest.report.total);
        if first.committed + second.committed != KEYS * EVENTS || second.duplicates != 0 {
            return Err(format!("an awaited stop leaves no duplicate: {first:?} then {second:?}"));
        }
        judge(&world.store, &(1..=i64::try_from(EVENTS).unwrap()).collect::<Vec<_>>())?;
        Ok(String::new())
    };
    for_each_seed(20, scenario);
}

#[test]
fn a_failing_message_is_retried_in_place_and_its_neighbours_do_not_pay() {
    let scenario = |seed| async move {
        let world = World::new(seed, SHARDS);
        world.store.migrate().await.unwrap();
        accounted(&world.publish(KEYS, EVENTS, support::publish()).await)?;
        let bad: BTreeSet<String> = ["k1-3", "k4-7", "k4-8"].map(str::to_owned).into();
        world.store.faults(|f| f.handler.extend(bad.iter().map(|id| (id.clone(), 2))));
        // consume_until_empty clears faults, so run the flow directly.
        let limits = Limits { until_empty: true, ..Limits::default() };
        let outcome = consume::run(world.consumer("p".to_owned(), limits)).await;
        if outcome.report.total.committed != KEYS * EVENTS || outcome.report.total.retried != 6 {
            return Err(format!("{:?}", outcome.report.total));
        }
        judge(&world.store, &(1..=i64::try_from(EVENTS).unwrap()).collect::<Vec<_>>())?;
        Ok(String::new())
    };
    for_each_seed(5, scenario);
}

#[test]
fn a_poison_message_blocks_its_shard_and_nothing_passes_it() {
    let scenario = |seed| async move {
        let world = World::new(seed, SHARDS);
        world.store.migrate().await.unwrap();
        accounted(&world.publish(KEYS, EVENTS, support::publish()).await)?;
        world.store.faults(|f| f.handler.insert("k1-3".to_owned(), u32::MAX));
        let limits = Limits { until_empty: true, ..Limits::default() };
        let outcome = consume::run(world.consumer("p".to_owned(), limits)).await;
        let shard = ShardMap::new(&world.topology).shard("k1");
        if outcome.report.blocked.keys().copied().collect::<Vec<_>>() != [shard] {
            return Err(format!("shard {shard} is blocked: {:?}", outcome.report.blocked));
        }
        let passed = world.store.effects().iter().any(|e| e.key == "k1" && e.sequence > Some(2));
        if passed {
            return Err("a follower passed the poison message".to_owned());
        }
        let rest = world.consume_until_empty().await;
        if !rest.report.blocked.is_empty() {
            return Err("mended, it goes on".to_owned());
        }
        judge(&world.store, &(1..=i64::try_from(EVENTS).unwrap()).collect::<Vec<_>>())?;
        Ok(String::new())
    };
    for_each_seed(5, scenario);
}

#[test]
fn a_store_that_stays_away_is_said_at_times_and_waited_for() {
    let scenario = |seed| async move {
        let world = World::new(seed, SHARDS);
        world.store.migrate().await.unwrap();
        accounted(&world.publish(KEYS, EVENTS, support::publish()).await)?;
        world.store.faults(|f| f.begins = 90);
        let limits = Limits { until_empty: true, ..Limits::default() };
        let outcome = consume::run(world.consumer("p".to_owned(), limits)).await;
        if outcome.report.total.committed != KEYS * EVENTS || outcome.report.total.reconnects != 0 {
            return Err(format!("{:?}", outcome.report.total));
        }
        // Of some 30 tries of each of 3 shards, a second apart.
        let said = world.trace.text().matches("trying again").count();
        (3..=15).contains(&said).then_some(()).ok_or_else(|| format!("said {said} times"))?;
        judge(&world.store, &(1..=i64::try_from(EVENTS).unwrap()).collect::<Vec<_>>())?;
        Ok(String::new())
    };
    for_each_seed(5, scenario);
}
