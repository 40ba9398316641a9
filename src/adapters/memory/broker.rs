//! The broker's state: queues with one active consumer each, and what a fault does to them.
//!
//! Semantics follow what real brokers were seen to do: a closed or dead consumer's messages return to the
//! head in order, the next consumer in line becomes active, frames of a dead publishing connection may
//! still arrive later, as a prefix, in order.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Notify, time::Instant};

use super::chance::Chance;
use crate::domain::envelope::Incoming;

/// How often faults happen, in thousandths per opportunity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Faults {
    /// A publishing connection breaks, per verdict.
    pub publish_lost: u32,
    /// The broker nacks, per message; half of these messages are stored all the same.
    pub nacked: u32,
    /// A message finds no queue for a moment, per message.
    pub returned: u32,
    /// A confirm never comes, per message.
    pub silent: u32,
    /// A consumer's connection breaks, per delivery.
    pub consume_lost: u32,
    /// A consumer is taken for dead without noticing, per delivery.
    pub zombie: u32,
}

/// A broker in memory.
#[derive(Debug, Clone)]
pub struct MemoryBroker {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) chance: Arc<Chance>,
    pub(super) changed: Arc<Notify>,
    pub(super) start: Instant,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) faults: Faults,
    queues: BTreeMap<String, Queue>,
    bindings: BTreeMap<String, Vec<String>>,
    next_consumer: u64,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) ready: VecDeque<Incoming>,
    /// In order of subscription; the first is the active one.
    consumers: VecDeque<u64>,
    unacked: BTreeMap<u64, VecDeque<(u64, Incoming)>>,
}

impl MemoryBroker {
    /// An empty broker; its time begins now.
    #[must_use]
    pub fn new(chance: Arc<Chance>) -> Self {
        Self { state: Arc::default(), chance, changed: Arc::new(Notify::new()), start: Instant::now() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Declares a queue and binds it.
    pub fn bind(&self, routing_key: &str, queue: &str) {
        let mut state = self.lock();
        state.queues.entry(queue.to_owned()).or_default();
        state.bindings.entry(routing_key.to_owned()).or_default().push(queue.to_owned());
    }

    /// Removes every binding of a routing key.
    pub fn unbind(&self, routing_key: &str) {
        self.lock().bindings.remove(routing_key);
    }

    /// The messages waiting in a queue, oldest first.
    #[must_use]
    pub fn waiting(&self, queue: &str) -> Vec<Incoming> {
        self.lock().queues.get(queue).map(|q| q.ready.iter().cloned().collect()).unwrap_or_default()
    }

    /// Changes how often faults happen from now on.
    pub fn set_faults(&self, faults: Faults) {
        self.lock().faults = faults;
    }

    /// Messages in all queues, ready and unacked.
    #[must_use]
    pub fn depth(&self) -> usize {
        let unacked = |q: &Queue| q.unacked.values().map(VecDeque::len).sum::<usize>();
        self.lock().queues.values().map(|q| q.ready.len() + unacked(q)).sum()
    }

    /// Routes a message into every bound queue; `false`: no queue is bound.
    pub(super) fn enqueue(&self, routing_key: &str, message: &Incoming) -> bool {
        let mut state = self.lock();
        let names = state.bindings.get(routing_key).cloned().unwrap_or_default();
        for name in &names {
            if let Some(queue) = state.queues.get_mut(name) {
                queue.ready.push_back(message.clone());
            }
        }
        drop(state);
        self.changed.notify_waiters();
        !names.is_empty()
    }

    pub(super) fn subscribe(&self, queue: &str) -> Option<u64> {
        let mut state = self.lock();
        state.next_consumer += 1;
        let id = state.next_consumer;
        let queue = state.queues.get_mut(queue)?;
        queue.consumers.push_back(id);
        queue.unacked.insert(id, VecDeque::new());
        Some(id)
    }

    /// Removes a consumer: its unacked messages return to the head in order, the next one becomes active.
    pub(super) fn remove(&self, queue: &str, id: u64) {
        let mut state = self.lock();
        if let Some(queue) = state.queues.get_mut(queue) {
            queue.consumers.retain(|c| *c != id);
            for (_, mut message) in queue.unacked.remove(&id).unwrap_or_default().into_iter().rev() {
                message.redelivered = true;
                queue.ready.push_front(message);
            }
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// The next message for `id`, if it is the active consumer and has room.
    pub(super) fn deliver(&self, queue: &str, id: u64, tag: u64, prefetch: u16) -> Option<Incoming> {
        let mut state = self.lock();
        let queue = state.queues.get_mut(queue)?;
        if queue.consumers.front() != Some(&id) {
            return None;
        }
        let unacked = queue.unacked.get_mut(&id)?;
        if unacked.len() >= usize::from(prefetch) {
            return None;
        }
        let message = queue.ready.pop_front()?;
        unacked.push_back((tag, message.clone()));
        Some(message)
    }

    /// Whether the broker still counts `id` among the consumers of `queue`.
    pub(super) fn knows(&self, queue: &str, id: u64) -> bool {
        self.lock().queues.get(queue).is_some_and(|q| q.unacked.contains_key(&id))
    }

    /// `false`: the consumer is gone and nothing was acknowledged.
    pub(super) fn ack(&self, queue: &str, id: u64, tag: u64) -> bool {
        let mut state = self.lock();
        let Some(unacked) = state.queues.get_mut(queue).and_then(|q| q.unacked.get_mut(&id)) else {
            return false;
        };
        unacked.retain(|(t, _)| *t > tag);
        drop(state);
        self.changed.notify_waiters();
        true
    }

    pub(super) fn ready(&self, queue: &str) -> usize {
        self.lock().queues.get(queue).map_or(0, |q| q.ready.len())
    }

    /// A short random time, as a network and a disk need.
    pub(super) fn latency(&self, at_most_ms: u64) -> Duration {
        Duration::from_millis(self.chance.below(at_most_ms))
    }
}
