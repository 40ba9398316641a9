//! A broker that holds what it was told, and can be told to fail.

use std::sync::Mutex;

use async_trait::async_trait;
use topo::{
    domain::{
        observed::{
            ExchangeDetails, Observed, ObservedBinding, ObservedExchange, ObservedQueue, QueueDetails,
            QueueStats, Sight, Value, Verdict,
        },
        plan::Step,
        topology::Topology,
    },
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker,
    },
};

/// What a management look shows of an empty vhost.
pub(super) fn nothing() -> Observed {
    Observed {
        sight: Sight::Management,
        broker_version: None,
        exchange: None,
        queues: [].into(),
        bindings: Some(Vec::new()),
        policies: Some(Vec::new()),
        default_queue_type: None,
        orphans: [].into(),
        unread: Vec::new(),
    }
}

/// Does a step the way a broker does.
pub(super) fn carry_out(observed: &mut Observed, step: &Step) {
    match step {
        Step::Exchange { kind, .. } => {
            let details = ExchangeDetails {
                kind: kind.clone(),
                durable: true,
                auto_delete: false,
                internal: false,
                arguments: [].into(),
            };
            observed.exchange = Some(ObservedExchange { details: Some(details), verdict: None });
        }
        Step::Queue { name, arguments } => {
            let kind = match &arguments["x-queue-type"] {
                Value::Text(kind) => kind.clone(),
                other => panic!("{other:?}"),
            };
            let arguments = arguments.clone();
            let details =
                QueueDetails { kind, durable: true, auto_delete: false, exclusive: false, arguments };
            observed.queues.insert(name.clone(), ObservedQueue { details: Some(details), verdict: None });
        }
        Step::Binding { exchange, queue, routing_key } => {
            assert!(
                observed.exchange.is_some() && observed.queues.contains_key(queue),
                "bound too early: {step:?}"
            );
            let binding = ObservedBinding {
                source: exchange.clone(),
                destination: queue.clone(),
                to_queue: true,
                routing_key: routing_key.clone(),
                has_arguments: false,
            };
            let bindings = observed.bindings.get_or_insert_default();
            if !bindings.contains(&binding) {
                bindings.push(binding);
            }
        }
        Step::Unbind { exchange, queue, routing_key } => {
            let bindings = observed.bindings.get_or_insert_default();
            bindings
                .retain(|b| (&b.source, &b.destination, &b.routing_key) != (exchange, queue, routing_key));
        }
        Step::DeleteQueue { name, .. } => {
            observed.queues.remove(name);
            observed.orphans.remove(name);
            observed.bindings.get_or_insert_default().retain(|b| !b.to_queue || b.destination != *name);
        }
        Step::DeleteExchange { name } => {
            let bindings = observed.bindings.get_or_insert_default();
            assert!(bindings.iter().all(|b| b.source != *name), "still bound: {step:?}");
            observed.exchange = None;
        }
        Step::Policy { policy } => {
            let policies = observed.policies.get_or_insert_default();
            policies.retain(|p| (&p.name, p.author) != (&policy.name, policy.author));
            policies.push(policy.clone());
        }
        Step::DeletePolicy { name } => {
            observed.policies.get_or_insert_default().retain(|p| p.name != *name);
        }
        Step::Tables { .. } | Step::Schema { .. } => panic!("not the broker's: {step:?}"),
    }
}

/// What is left of a look through AMQP alone, when everything that exists fits.
pub(super) fn through_amqp(mut observed: Observed) -> Observed {
    let verdict = Some(Verdict::Same);
    observed.sight = Sight::Amqp;
    observed.bindings = None;
    observed.policies = None;
    observed.exchange =
        observed.exchange.map(|_| ObservedExchange { details: None, verdict: verdict.clone() });
    for queue in observed.queues.values_mut() {
        *queue = ObservedQueue { details: None, verdict: verdict.clone() };
    }
    observed
}

/// A broker in memory.
pub(super) struct FakeBroker {
    pub(super) held: Mutex<Observed>,
    /// How it is seen.
    pub(super) sight: Sight,
    /// Steps still carried out before everything fails; `None`: never fails.
    pub(super) fails_after: Mutex<Option<usize>>,
    /// Counts of every queue that exists.
    pub(super) stats: QueueStats,
}

impl FakeBroker {
    pub(super) fn new(sight: Sight) -> Self {
        let stats = QueueStats { consumers: 1, ..QueueStats::default() };
        Self { held: Mutex::new(nothing()), sight, fails_after: Mutex::new(None), stats }
    }
}

#[async_trait]
impl TopologyBroker for FakeBroker {
    async fn reach(&self) -> Result<(), LinkError> {
        Ok(())
    }

    async fn observe(&self, _topology: &Topology) -> Result<Observed, LinkError> {
        let held = self.held.lock().unwrap().clone();
        Ok(match self.sight {
            Sight::Management => held,
            Sight::Amqp => through_amqp(held),
        })
    }

    async fn execute(&self, step: &Step) -> Result<(), LinkError> {
        let mut left = self.fails_after.lock().unwrap();
        match left.as_mut() {
            Some(0) => return Err(LinkError::new(LinkKind::Lost, "the broker is gone")),
            Some(left) => *left -= 1,
            None => {}
        }
        carry_out(&mut self.held.lock().unwrap(), step);
        Ok(())
    }

    async fn stats(&self, queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError> {
        let held = self.held.lock().unwrap();
        Ok(queues.iter().map(|queue| held.queues.contains_key(queue).then(|| self.stats.clone())).collect())
    }
}

/// A broker that nobody can reach.
pub(super) struct DeadBroker;

#[async_trait]
impl TopologyBroker for DeadBroker {
    async fn reach(&self) -> Result<(), LinkError> {
        Err(LinkError::new(LinkKind::Unreachable, "nobody answers"))
    }

    async fn observe(&self, _topology: &Topology) -> Result<Observed, LinkError> {
        Err(LinkError::because(LinkKind::Unreachable, "nobody answers", "connection refused"))
    }

    async fn execute(&self, _step: &Step) -> Result<(), LinkError> {
        Err(LinkError::new(LinkKind::Unreachable, "nobody answers"))
    }

    async fn stats(&self, _queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError> {
        Err(LinkError::new(LinkKind::Unreachable, "nobody answers"))
    }
}
