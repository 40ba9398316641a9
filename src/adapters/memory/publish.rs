//! A publishing link to the broker in memory.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::time::Instant;

use super::broker::MemoryBroker;
use crate::{
    domain::{
        envelope::{
            HEADER_GENERATION, HEADER_KEY, HEADER_PUBLISHED_AT, HEADER_SEQUENCE, HeaderValue, Incoming,
        },
        route::Routed,
    },
    ports::{
        link::{LinkError, LinkKind},
        publisher::{LinkEvent, Outcome, PublishBroker, PublishLink, Ticket, Verdict},
    },
};

/// Longest time from sending to the verdict, in milliseconds.
const LATENCY_MS: u64 = 20;
/// Longest time after which frames of a dead connection still arrive, in milliseconds.
const LATE_MS: u64 = 3000;

#[async_trait]
impl PublishBroker for MemoryBroker {
    async fn open(&self, _shards: u32) -> Result<Box<dyn PublishLink>, LinkError> {
        Ok(Box::new(Link { broker: self.clone(), wire: VecDeque::new(), dead: false }))
    }
}

struct OnWire {
    ticket: Ticket,
    routing_key: String,
    message: Incoming,
    due: Instant,
}

struct Link {
    broker: MemoryBroker,
    wire: VecDeque<OnWire>,
    dead: bool,
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("on_wire", &self.wire.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl PublishLink for Link {
    async fn send(
        &mut self,
        ticket: Ticket,
        message: Arc<Routed>,
        published_at_ms: i64,
    ) -> Result<(), LinkError> {
        if self.dead {
            return Err(lost());
        }
        let due = Instant::now() + self.broker.latency(LATENCY_MS);
        let due = self.wire.back().map_or(due, |last| last.due.max(due));
        let routing_key = message.routing_key().to_owned();
        self.wire.push_back(OnWire {
            ticket,
            routing_key,
            message: incoming(&message, published_at_ms),
            due,
        });
        Ok(())
    }

    async fn next(&mut self) -> Result<LinkEvent, LinkError> {
        loop {
            if self.dead {
                return Err(lost());
            }
            let Some(first) = self.wire.front() else {
                std::future::pending::<()>().await;
                continue;
            };
            tokio::time::sleep_until(first.due).await;
            let faults = self.broker.lock().faults;
            if self.broker.chance.happens(faults.publish_lost) {
                self.break_off();
                return Err(lost());
            }
            let Some(sent) = self.wire.pop_front() else { continue };
            if self.broker.chance.happens(faults.silent) {
                self.broker.enqueue(&sent.routing_key, &sent.message);
                continue;
            }
            let outcome = if self.broker.chance.happens(faults.nacked) {
                if self.broker.chance.happens(500) {
                    self.broker.enqueue(&sent.routing_key, &sent.message);
                }
                Outcome::Nacked
            } else if self.broker.chance.happens(faults.returned)
                || !self.broker.enqueue(&sent.routing_key, &sent.message)
            {
                Outcome::Returned("312 NO_ROUTE".to_owned())
            } else {
                Outcome::Confirmed
            };
            return Ok(LinkEvent::Verdicts(vec![Verdict { ticket: sent.ticket, outcome }]));
        }
    }

    async fn close(mut self: Box<Self>, _orderly: bool) {
        self.break_off();
    }
}

impl Link {
    /// The connection is over: a prefix of what is on the wire still arrives, now or later.
    fn break_off(&mut self) {
        self.dead = true;
        let count = u64::try_from(self.wire.len()).unwrap_or(0);
        let arriving = usize::try_from(self.broker.chance.below(count + 1)).unwrap_or(0);
        let late: Vec<OnWire> = self.wire.drain(..).take(arriving).collect();
        let broker = self.broker.clone();
        let pause = broker.latency(LATE_MS);
        tokio::spawn(async move {
            wait(pause).await;
            for sent in late {
                broker.enqueue(&sent.routing_key, &sent.message);
                wait(broker.latency(LATENCY_MS)).await;
            }
        });
    }
}

async fn wait(pause: Duration) {
    #[expect(clippy::disallowed_methods, reason = "the memory broker lives in the runtime's time")]
    tokio::time::sleep(pause).await;
}

fn lost() -> LinkError {
    LinkError::new(LinkKind::Lost, "the connection broke")
}

fn incoming(message: &Routed, published_at_ms: i64) -> Incoming {
    let envelope = message.envelope();
    let mut headers = std::collections::BTreeMap::from([
        (HEADER_KEY.to_owned(), HeaderValue::Text(envelope.key.as_str().to_owned())),
        (HEADER_GENERATION.to_owned(), HeaderValue::Integer(message.generation().into())),
        (HEADER_PUBLISHED_AT.to_owned(), HeaderValue::Integer(published_at_ms)),
    ]);
    if let Some(sequence) = envelope.sequence {
        headers.insert(HEADER_SEQUENCE.to_owned(), HeaderValue::Integer(sequence));
    }
    Incoming {
        message_id: Some(envelope.message_id.clone()),
        event_type: envelope.event_type.clone(),
        correlation_id: envelope.correlation_id.clone(),
        timestamp: None,
        priority: None,
        delivery_mode: Some(2),
        headers,
        body: envelope.body.clone(),
        redelivered: false,
    }
}
