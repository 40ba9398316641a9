//! One queue's deliveries: the only place that acknowledges.
//!
//! A reader task takes deliveries off the client's stream at once and raises a flag when it ends. It owns
//! the client's consumer, because dropping that writes `basic.cancel`, and under single active consumer
//! a cancel hands the queue over while messages are still unacked: the consumer is dropped only after the
//! channel's close was answered, on every way out (T46).
//!
//! Invariants: ack-after-commit, drain-loses-nothing.

use std::{
    collections::VecDeque,
    fmt,
    mem::ManuallyDrop,
    sync::{Arc, OnceLock},
};

use async_trait::async_trait;
use futures_util::StreamExt;
use lapin::{
    Acker, Channel, Connection, Consumer,
    options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable, ShortString},
};
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::timeout,
};

use super::{
    connection::{self, CLOSE_DEADLINE, Endpoint},
    error::{kind, link_error},
    properties,
};
use crate::{
    domain::probe::is_probe,
    ports::{
        clock::Clock,
        link::{LinkError, LinkKind},
        store::Committed,
        subscription::{ConsumeBroker, Delivery, Subscription},
    },
};

/// Consumer timeout asked for, in milliseconds: a day. The broker's own must never fire, it returns the
/// oldest message alone and so reorders inside the broker (T52). Older brokers ignore the argument; from 4.3 on
/// classic queues have no such timeout and refuse it.
const CONSUMER_TIMEOUT_MS: i64 = 24 * 60 * 60 * 1000;
const CONSUMER_TIMEOUT: &str = "x-consumer-timeout";

/// Opens subscriptions on one shared connection.
pub struct AmqpConsumeBroker {
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
    connection: Mutex<Option<Connection>>,
    /// Whether this user may count; asked once, on a channel that a refusal may end.
    countable: OnceLock<bool>,
}

impl fmt::Debug for AmqpConsumeBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmqpConsumeBroker").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl AmqpConsumeBroker {
    /// Consumes through `endpoint`; `clock` stamps deliveries.
    #[must_use]
    pub fn new(endpoint: Endpoint, clock: Arc<dyn Clock>) -> Self {
        Self { endpoint, clock, connection: Mutex::new(None), countable: OnceLock::new() }
    }

    /// From 4.3 on a passive declare needs configure, which a consumer should not have (T63).
    async fn may_count(&self, queue: &ShortString) -> Result<bool, LinkError> {
        if let Some(known) = self.countable.get() {
            return Ok(*known);
        }
        let channel = self.channel().await?;
        match count(&channel, queue).await {
            Err(error) if error.kind == LinkKind::Refused => Ok(*self.countable.get_or_init(|| false)),
            Ok(_) => {
                deadline("closing a channel", channel.close(200, "OK".into())).await?;
                Ok(*self.countable.get_or_init(|| true))
            }
            // Consuming will say what is wrong with the queue.
            Err(_) => Ok(true),
        }
    }

    async fn channel(&self) -> Result<Channel, LinkError> {
        let mut slot = self.connection.lock().await;
        if !slot.as_ref().is_some_and(|c| c.status().connected()) {
            *slot = Some(self.endpoint.connect().await?);
        }
        let Some(connection) = slot.as_ref() else {
            return Err(LinkError::new(LinkKind::Lost, "no connection"));
        };
        deadline("opening a channel", connection.create_channel()).await
    }

    /// A consumer on a channel of its own.
    async fn consume(
        &self,
        queue: &ShortString,
        tag: &ShortString,
        prefetch: u16,
        with_timeout: bool,
    ) -> Result<(Channel, Consumer), LinkError> {
        let channel = self.channel().await?;
        match consume(&channel, queue, tag, prefetch, with_timeout).await {
            Ok(consumer) => Ok((channel, consumer)),
            Err(error) => {
                // The broker may have a consumer all the same, and it would be the active one that nobody reads.
                if let Err(error) = deadline("closing a channel", channel.close(200, "OK".into())).await {
                    tracing::debug!("after a failed subscription: {error}");
                }
                Err(error)
            }
        }
    }
}

/// Whether it was the timeout asked for that the broker did not want.
fn refuses_timeout(error: &LinkError) -> bool {
    let cause = error.source.as_ref().map(ToString::to_string).unwrap_or_default();
    error.kind == LinkKind::Precondition && cause.contains(CONSUMER_TIMEOUT)
}

async fn deadline<T>(
    doing: &str,
    request: impl Future<Output = Result<T, lapin::Error>> + Send,
) -> Result<T, LinkError> {
    match timeout(CLOSE_DEADLINE, request).await {
        Ok(result) => result.map_err(|e| link_error(doing, e)),
        Err(_) => Err(LinkError::new(LinkKind::Lost, format!("{doing}: the broker did not answer in time"))),
    }
}

#[async_trait]
impl ConsumeBroker for AmqpConsumeBroker {
    async fn subscribe(
        &self,
        queue: &str,
        tag: &str,
        prefetch: u16,
    ) -> Result<Box<dyn Subscription>, LinkError> {
        let long = |e| LinkError::because(LinkKind::Protocol, "a name is too long for AMQP", e);
        let queue = ShortString::try_new(queue).map_err(long)?;
        let tag = ShortString::try_new(tag).map_err(long)?;
        let countable = self.may_count(&queue).await?;
        let subscribed = match self.consume(&queue, &tag, prefetch, true).await {
            Err(error) if refuses_timeout(&error) => self.consume(&queue, &tag, prefetch, false).await,
            other => other,
        };
        let (channel, consumer) = subscribed?;
        Ok(Box::new(AmqpSubscription::start(channel, consumer, queue, countable, Arc::clone(&self.clock))))
    }

    async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take() {
            connection::close(&connection).await;
        }
    }
}

/// Messages ready.
async fn count(channel: &Channel, queue: &ShortString) -> Result<u64, LinkError> {
    let options = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let asking = channel.queue_declare(queue.clone(), options, FieldTable::default());
    Ok(deadline(&format!("counting {queue}"), asking).await?.message_count().into())
}

async fn consume(
    channel: &Channel,
    queue: &ShortString,
    tag: &ShortString,
    prefetch: u16,
    with_timeout: bool,
) -> Result<Consumer, LinkError> {
    deadline("setting the prefetch", channel.basic_qos(prefetch, BasicQosOptions { global: false })).await?;
    let mut arguments = FieldTable::default();
    if with_timeout {
        arguments.insert(CONSUMER_TIMEOUT.into(), AMQPValue::LongLongInt(CONSUMER_TIMEOUT_MS));
    }
    let consuming =
        channel.basic_consume(queue.clone(), tag.clone(), BasicConsumeOptions::default(), arguments);
    deadline(&format!("consuming from {queue}"), consuming).await
}

struct AmqpSubscription {
    channel: Channel,
    queue: ShortString,
    countable: bool,
    deliveries: mpsc::UnboundedReceiver<(Delivery, Acker)>,
    unacked: VecDeque<(u64, Acker)>,
    ended: Arc<OnceLock<(LinkKind, String)>>,
    /// Sent, or dropped, when the reader may let go of the consumer.
    closed: Option<oneshot::Sender<()>>,
}

impl AmqpSubscription {
    fn start(
        channel: Channel,
        consumer: Consumer,
        queue: ShortString,
        countable: bool,
        clock: Arc<dyn Clock>,
    ) -> Self {
        // Unbounded here, bounded by the prefetch at the broker.
        let (sender, deliveries) = mpsc::unbounded_channel();
        let ended = Arc::new(OnceLock::new());
        let (closed, released) = oneshot::channel();
        let reader = Reader { consumer: ManuallyDrop::new(consumer), clock, ended: Arc::clone(&ended) };
        tokio::spawn(reader.run(sender, released, channel.clone()));
        Self { channel, queue, countable, deliveries, unacked: VecDeque::new(), ended, closed: Some(closed) }
    }

    fn take(&mut self, (delivery, acker): (Delivery, Acker)) -> Delivery {
        self.unacked.push_back((delivery.tag, acker));
        delivery
    }
}

/// Acknowledges a probe. What comes behind it is handed over only after this was written, so an
/// acknowledgement of several can't meet it twice (T75).
async fn skip(probe: Acker) {
    #[expect(clippy::disallowed_methods, reason = "a probe is no message: there is nothing to commit")]
    let acking = probe.ack(BasicAckOptions::default());
    if let Err(error) = deadline("acknowledging a probe", acking).await {
        tracing::debug!("{error}");
    }
}

struct Reader {
    /// Leaked when this task is torn down with the runtime: the process is about to end, and its socket's
    /// close returns everything in order, which a cancel would not.
    consumer: ManuallyDrop<Consumer>,
    clock: Arc<dyn Clock>,
    ended: Arc<OnceLock<(LinkKind, String)>>,
}

impl Reader {
    async fn run(
        mut self,
        sender: mpsc::UnboundedSender<(Delivery, Acker)>,
        mut released: oneshot::Receiver<()>,
        channel: Channel,
    ) {
        let orderly = loop {
            tokio::select! {
                biased;
                answer = &mut released => break answer.is_ok(),
                item = self.consumer.next() => match item {
                    Some(Ok(delivery)) => {
                        let received_at = self.clock.elapsed();
                        let incoming = properties::decode(&delivery.properties, delivery.data, delivery.redelivered);
                        if is_probe(&incoming) {
                            skip(delivery.acker).await;
                            continue;
                        }
                        let neutral = Delivery { tag: delivery.delivery_tag, received_at, incoming };
                        if sender.send((neutral, delivery.acker)).is_err() {
                            break released.await.is_ok();
                        }
                    }
                    other => {
                        self.end(other.map(Result::err));
                        drop(sender);
                        break released.await.is_ok();
                    }
                },
            }
        };
        if !orderly {
            // Somebody dropped the subscription without closing it: close the channel in their place.
            tracing::debug!("a subscription was dropped, closing its channel");
            if !matches!(
                timeout(CLOSE_DEADLINE, channel.close(200, ShortString::from("OK"))).await,
                Ok(Ok(()))
            ) {
                return;
            }
        }
        drop(ManuallyDrop::into_inner(self.consumer));
    }

    fn end(&self, last: Option<Option<lapin::Error>>) {
        let why = match last {
            Some(Some(error)) => (kind(&error), format!("the channel ended: {error}")),
            // The stream ends without an error when the broker cancels: queue deleted or its node down (T78).
            Some(None) | None => (LinkKind::Lost, "cancelled by the broker".to_owned()),
        };
        // The first reason stands.
        drop(self.ended.set(why));
    }
}

#[async_trait]
impl Subscription for AmqpSubscription {
    async fn next(&mut self) -> Option<Delivery> {
        let item = self.deliveries.recv().await?;
        Some(self.take(item))
    }

    fn try_next(&mut self) -> Option<Delivery> {
        let item = self.deliveries.try_recv().ok()?;
        Some(self.take(item))
    }

    fn has_arrived(&self) -> bool {
        !self.deliveries.is_empty()
    }

    fn live(&self) -> bool {
        self.ended.get().is_none() && self.channel.status().connected()
    }

    fn ended(&self) -> Option<LinkError> {
        match self.ended.get() {
            Some((kind, text)) => Some(LinkError::new(*kind, text.clone())),
            None if self.channel.status().connected() => None,
            None => Some(LinkError::new(LinkKind::Lost, "the channel ended")),
        }
    }

    async fn ack_through(&mut self, tag: u64, _proof: &Committed) -> Result<(), LinkError> {
        let mut last = None;
        while self.unacked.front().is_some_and(|(t, _)| *t <= tag) {
            last = self.unacked.pop_front();
        }
        let Some((last_tag, acker)) = last.filter(|(t, _)| *t == tag) else {
            return Err(LinkError::new(LinkKind::Protocol, format!("delivery {tag} is not unacked here")));
        };
        // A cancelled consumer's ackers still look usable although its messages may be elsewhere (T50).
        if !self.live() {
            return Err(LinkError::new(LinkKind::Lost, "the subscription ended before the ack"));
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that acks: it holds the proof of a commit"
        )]
        let acking = acker.ack(BasicAckOptions { multiple: true });
        match deadline("acknowledging", acking).await? {
            true => Ok(()),
            // "Did nothing": the channel is gone (T74).
            false => {
                Err(LinkError::new(LinkKind::Lost, format!("delivery {last_tag} could not be acknowledged")))
            }
        }
    }

    async fn ready(&mut self) -> Result<u64, LinkError> {
        if !self.countable {
            let text = format!("counting {} needs configure here, or the management tag", self.queue);
            return Err(LinkError::new(LinkKind::Refused, text));
        }
        count(&self.channel, &self.queue).await
    }

    async fn close(mut self: Box<Self>) -> Result<(), LinkError> {
        let closing = self.channel.close(200, ShortString::from("OK"));
        let result = deadline("closing a channel", closing).await;
        // Closed by us, or by the broker before: nothing is unacked there any more, the reader may let go.
        if (result.is_ok() || !self.channel.status().connected())
            && self.closed.take().is_some_and(|closed| closed.send(()).is_err())
        {
            tracing::debug!("the reader of {} had ended before the close", self.queue);
        }
        result
    }
}
