//! A topology that stands, on a broker whose queues hold what a test puts into them.

use std::{collections::BTreeMap, sync::Mutex};

use async_trait::async_trait;
use topo::{
    domain::{
        observed::{Observed, ObservedBinding, QueueStats, Sight},
        plan::Step,
        topology::Topology,
    },
    flows::{apply::apply, plan::plan, world::World},
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker,
    },
};

use super::world::FakeBroker;

/// A broker whose queues hold what the test puts into them, and that refuses what a real one refuses.
pub(super) struct Standing {
    pub(super) inner: FakeBroker,
    stats: Mutex<BTreeMap<String, QueueStats>>,
    /// What becomes of a queue's counts after so many steps.
    pub(super) later: Mutex<BTreeMap<usize, (String, QueueStats)>>,
    done: Mutex<Vec<Step>>,
}

impl Standing {
    /// With everything that apply makes for `topology`.
    pub(super) async fn with(topology: &Topology, sight: Sight) -> Self {
        let inner = FakeBroker::new(sight);
        let world = World { topology, amqp: &inner, management: Some(&inner), stores: &[] };
        let approved = plan(&world).await.unwrap().approve().unwrap();
        apply(&world, &approved, |_, _, _| {}).await.unwrap();
        Self { inner, stats: Mutex::default(), later: Mutex::default(), done: Mutex::default() }
    }

    pub(super) fn world<'a>(&'a self, topology: &'a Topology) -> World<'a> {
        let management = (self.inner.sight == Sight::Management).then_some(self as &dyn TopologyBroker);
        World { topology, amqp: self, management, stores: &[] }
    }

    pub(super) fn put(&self, queue: &str, stats: QueueStats) {
        self.stats.lock().unwrap().insert(queue.to_owned(), stats);
    }

    pub(super) fn bind(&self, source: &str, destination: &str, to_queue: bool, routing_key: &str) {
        let binding = ObservedBinding {
            source: source.to_owned(),
            destination: destination.to_owned(),
            to_queue,
            routing_key: routing_key.to_owned(),
            has_arguments: false,
        };
        self.inner.held.lock().unwrap().bindings.get_or_insert_default().push(binding);
    }

    pub(super) fn held(&self) -> Observed {
        self.inner.held.lock().unwrap().clone()
    }

    fn stats_of(&self, queue: &str) -> QueueStats {
        self.stats.lock().unwrap().get(queue).cloned().unwrap_or(counts(0, 0, 0))
    }
}

/// Counts of a queue.
pub(super) fn counts(ready: u64, unacked: u64, consumers: u64) -> QueueStats {
    QueueStats { ready, unacked: Some(unacked), consumers, active_tag: None }
}

#[async_trait]
impl TopologyBroker for Standing {
    async fn reach(&self) -> Result<(), LinkError> {
        self.inner.reach().await
    }

    async fn observe(&self, topology: &Topology) -> Result<Observed, LinkError> {
        self.inner.observe(topology).await
    }

    async fn execute(&self, step: &Step) -> Result<(), LinkError> {
        let refuse = |text: &str| Err(LinkError::new(LinkKind::Precondition, text));
        match step {
            Step::DeleteQueue { name, discard: false } if self.stats_of(name) != counts(0, 0, 0) => {
                return refuse("in use");
            }
            Step::DeleteExchange { name }
                if self.held().bindings.iter().flatten().any(|binding| binding.source == *name) =>
            {
                return refuse("in use");
            }
            _ => {}
        }
        self.inner.execute(step).await?;
        let mut done = self.done.lock().unwrap();
        done.push(step.clone());
        if let Some((queue, stats)) = self.later.lock().unwrap().remove(&done.len()) {
            self.put(&queue, stats);
        }
        Ok(())
    }

    async fn stats(&self, queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError> {
        let held = self.held();
        let stats = |queue: &String| held.queues.contains_key(queue).then(|| self.stats_of(queue));
        Ok(queues.iter().map(stats).collect())
    }
}
