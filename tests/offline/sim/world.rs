//! One simulated world: seed, time, broker, and the checks that every run must pass.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::sync::{mpsc, watch};
use topo::{
    adapters::memory::{
        broker::{Faults, MemoryBroker},
        chance::Chance,
        clock::RuntimeClock,
        store::MemoryStore,
    },
    domain::{
        message::ShardId,
        route::ShardMap,
        topology::{Publish, QueueKind, Topology},
    },
    flows::publish::{self, Ended, Job, Line},
    ports::observer::{Level, MessageEvent, Observer},
};

use crate::support;

/// Seeds of a scenario: the remembered ones, then a row of fresh ones; one alone when asked for.
pub(super) fn seeds(rounds: u64) -> Vec<u64> {
    #[expect(clippy::disallowed_methods, reason = "a replay names its seed in the environment")]
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("TOPO_SIM_SEED") {
        return vec![seed];
    }
    let remembered =
        include_str!("seeds.txt").lines().filter_map(|line| line.split_whitespace().next()?.parse().ok());
    remembered.chain(1..=number("TOPO_SIM_ROUNDS").unwrap_or(rounds)).collect()
}

/// Runs `scenario` once per seed, each in its own paused runtime, and names the seed of a failure.
pub(super) fn for_each_seed<F: Future<Output = Result<String, String>>>(
    rounds: u64,
    scenario: impl Fn(u64) -> F,
) -> BTreeMap<u64, String> {
    let run = |seed| {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(scenario(seed)).unwrap_or_else(|why| panic!("seed {seed}: {why}"))
    };
    seeds(rounds).into_iter().map(|seed| (seed, run(seed))).collect()
}

/// Keeps every event as a line: the trace.
#[derive(Debug, Default)]
pub(super) struct Trace(Mutex<Vec<String>>);

impl Trace {
    pub(super) fn text(&self) -> String {
        self.0.lock().unwrap().join("\n")
    }
}

impl Observer for Trace {
    fn wants(&self, _level: Level) -> bool {
        true
    }

    fn message(&self, event: &MessageEvent<'_>) {
        let line = format!("{} {} {}", event.status.as_str(), event.message_id, event.attempt);
        self.0.lock().unwrap().push(line);
    }

    fn notice(&self, _level: Level, shard: Option<&ShardId>, text: &str) {
        self.0.lock().unwrap().push(format!("{:?} {text}", shard.map(|s| s.shard)));
    }

    fn progress(&self, _read: u64, _confirmed: u64, _in_flight: u64) {}
}

/// Everything that a scenario needs.
pub(super) struct World {
    pub(super) chance: Arc<Chance>,
    pub(super) clock: Arc<RuntimeClock>,
    pub(super) broker: MemoryBroker,
    pub(super) topology: Topology,
    pub(super) trace: Arc<Trace>,
    pub(super) stop: watch::Sender<bool>,
    pub(super) store: MemoryStore,
}

impl World {
    pub(super) fn new(seed: u64, shards: u32) -> Self {
        let chance = Arc::new(Chance::new(seed));
        let topology = support::topology("amqp://memory", shards, QueueKind::Quorum);
        let broker = MemoryBroker::new(Arc::clone(&chance));
        for shard in 0..shards {
            broker.bind(&topology.routing_key(shard), &topology.queue(&support::name("ledger"), shard));
        }
        Self {
            clock: Arc::new(RuntimeClock::new(Arc::clone(&chance))),
            chance,
            broker,
            topology,
            trace: Arc::default(),
            stop: watch::Sender::new(false),
            store: MemoryStore::new(),
        }
    }

    pub(super) fn faults(&self, faults: Faults) {
        self.broker.set_faults(faults);
    }

    /// Publishes `events` events of each of `keys` keys, interleaved by chance.
    pub(super) async fn publish(&self, keys: u64, events: u64, settings: Publish) -> publish::Outcome {
        let lines = self.lines(keys, events);
        let (sender, receiver) = mpsc::channel(16);
        let feed = async move {
            for line in lines {
                if sender.send(line).await.is_err() {
                    break;
                }
            }
        };
        let map = ShardMap::new(&self.topology);
        let job = Job {
            broker: &self.broker,
            map: &map,
            settings,
            fields: &support::FlatReader,
            new_id: &|| "unused".to_owned(),
            clock: self.clock.as_ref(),
            observer: self.trace.as_ref(),
            stop: self.stop.subscribe(),
        };
        let (outcome, ()) = tokio::join!(publish::run(job, receiver), feed);
        outcome
    }

    fn lines(&self, keys: u64, events: u64) -> Vec<Line> {
        let mut next: Vec<u64> = vec![1; usize::try_from(keys).unwrap()];
        let source: Arc<str> = "sim".into();
        let mut lines = Vec::new();
        while lines.len() < usize::try_from(keys * events).unwrap() {
            let key = self.chance.below(keys);
            let seq = &mut next[usize::try_from(key).unwrap()];
            if *seq <= events {
                let number = u64::try_from(lines.len()).unwrap() + 1;
                let bytes = Ok(support::line(&format!("k{key}"), *seq));
                lines.push(Line { source: Arc::clone(&source), number, bytes });
                *seq += 1;
            }
        }
        lines
    }

    /// Waits until frames of dead connections have arrived too.
    pub(super) async fn settle(&self) {
        topo::ports::clock::Clock::sleep(self.clock.as_ref(), Duration::from_secs(60)).await;
    }

    /// Per key, the event numbers in the order in which they first stand in the queue.
    pub(super) fn first_occurrences(&self) -> BTreeMap<String, Vec<i64>> {
        let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for shard in 0..self.topology.shards.count {
            let queue = self.topology.queue(&support::name("ledger"), shard);
            for message in self.broker.waiting(&queue) {
                let value: serde_json::Value = serde_json::from_slice(&message.body).unwrap();
                let list = seen.entry(value["key"].as_str().unwrap().to_owned()).or_default();
                let seq = value["seq"].as_i64().unwrap();
                if !list.contains(&seq) {
                    list.push(seq);
                }
            }
        }
        seen
    }
}

/// confirm-or-report: every line has exactly one end.
pub(super) fn accounted(outcome: &publish::Outcome) -> Result<(), String> {
    let r = &outcome.report;
    if r.read != r.confirmed + r.invalid + r.failed + r.skipped {
        return Err(format!("confirm-or-report: {r:?}"));
    }
    match &outcome.ended {
        Ended::Complete | Ended::Interrupted => Ok(()),
        Ended::Failed(error) => Err(format!("ended early: {error}")),
    }
}
