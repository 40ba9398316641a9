//! A subscription to a queue of the broker in memory.

use std::{collections::VecDeque, fmt, time::Duration};

use async_trait::async_trait;
use tokio::time::Instant;

use super::broker::MemoryBroker;
use crate::ports::{
    link::{LinkError, LinkKind},
    store::Committed,
    subscription::{ConsumeBroker, Delivery, Subscription},
};

/// How long a dead peer goes unnoticed.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// How often a waiting consumer looks again.
const LOOK: Duration = Duration::from_millis(50);

#[async_trait]
impl ConsumeBroker for MemoryBroker {
    async fn subscribe(
        &self,
        queue: &str,
        _tag: &str,
        prefetch: u16,
    ) -> Result<Box<dyn Subscription>, LinkError> {
        let Some(id) = self.subscribe(queue) else {
            return Err(LinkError::new(LinkKind::QueueMissing, format!("no queue {queue}")));
        };
        Ok(Box::new(MemorySubscription {
            broker: self.clone(),
            queue: queue.to_owned(),
            id,
            prefetch,
            next_tag: 0,
            arrived: VecDeque::new(),
            ended: false,
            start: self.start,
        }))
    }

    async fn close(&self) {}
}

struct MemorySubscription {
    broker: MemoryBroker,
    queue: String,
    id: u64,
    prefetch: u16,
    next_tag: u64,
    /// Read from the wire, not taken yet: what a zombie goes on with.
    arrived: VecDeque<Delivery>,
    ended: bool,
    start: Instant,
}

impl fmt::Debug for MemorySubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySubscription").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl MemorySubscription {
    /// Reads everything that the broker has for us.
    fn read(&mut self) {
        while let Some(incoming) = self.broker.deliver(&self.queue, self.id, self.next_tag + 1, self.prefetch)
        {
            self.next_tag += 1;
            self.arrived.push_back(Delivery {
                tag: self.next_tag,
                received_at: self.start.elapsed(),
                incoming,
            });
        }
    }

    fn misfortune(&mut self) {
        let faults = self.broker.lock().faults;
        if self.broker.chance.happens(faults.consume_lost) {
            self.ended = true;
            self.broker.remove(&self.queue, self.id);
        } else if self.broker.chance.happens(faults.zombie) {
            // The broker takes us for dead; we hold our deliveries and notice nothing yet.
            self.broker.remove(&self.queue, self.id);
        }
    }
}

#[async_trait]
impl Subscription for MemorySubscription {
    async fn next(&mut self) -> Option<Delivery> {
        loop {
            if self.ended {
                return None;
            }
            self.read();
            if let Some(delivery) = self.arrived.pop_front() {
                self.misfortune();
                return Some(delivery);
            }
            if !self.broker.knows(&self.queue, self.id) {
                // Taken for dead: the missing heartbeats are noticed at last.
                tokio::time::sleep_until(Instant::now() + HEARTBEAT).await;
                self.ended = true;
                continue;
            }
            let changed = std::sync::Arc::clone(&self.broker.changed);
            tokio::select! {
                biased;
                () = changed.notified() => {}
                () = tokio::time::sleep_until(Instant::now() + LOOK) => {}
            }
        }
    }

    fn try_next(&mut self) -> Option<Delivery> {
        if self.ended {
            return None;
        }
        self.read();
        self.arrived.pop_front()
    }

    fn has_arrived(&self) -> bool {
        !self.arrived.is_empty()
    }

    fn live(&self) -> bool {
        !self.ended
    }

    fn ended(&self) -> Option<LinkError> {
        self.ended.then(|| LinkError::new(LinkKind::Lost, "the channel broke"))
    }

    async fn ack_through(&mut self, tag: u64, _proof: &Committed) -> Result<(), LinkError> {
        if self.ended || !self.broker.ack(&self.queue, self.id, tag) {
            self.ended = true;
            return Err(LinkError::new(LinkKind::Lost, "the channel broke before the ack"));
        }
        Ok(())
    }

    async fn ready(&mut self) -> Result<u64, LinkError> {
        self.read();
        Ok(u64::try_from(self.broker.ready(&self.queue)).unwrap_or(u64::MAX))
    }

    async fn close(self: Box<Self>) -> Result<(), LinkError> {
        // Dropping removes the consumer.
        Ok(())
    }
}

impl Drop for MemorySubscription {
    fn drop(&mut self) {
        self.broker.remove(&self.queue, self.id);
    }
}
