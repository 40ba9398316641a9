//! Confirmed publishing: the only place that publishes.
//!
//! One task owns all channels of a link (T6). Every message is persistent and mandatory, every channel
//! in confirm mode. What a verdict means for the next message is the flow's decision.
//!
//! Invariants: confirm-or-report, per-key-order.

use std::{fmt, pin::Pin, sync::Arc, task::Poll};

use async_trait::async_trait;
use futures_util::{
    FutureExt, Stream, StreamExt,
    future::BoxFuture,
    stream::{BoxStream, FuturesUnordered},
};
use lapin::{
    Channel, Confirmation, Connection, Event,
    options::{BasicPublishOptions, ConfirmSelectOptions},
    types::ShortString,
};
use tokio::time::timeout;

use super::{
    confirms::{Confirms, Identity, Sequence},
    connection::{self, CLOSE_DEADLINE, Endpoint},
    drain::completed,
    error::link_error,
    properties,
};
use crate::{
    domain::route::Routed,
    ports::{
        link::{LinkError, LinkKind},
        publisher::{LinkEvent, PublishBroker, PublishLink, Ticket, Verdict},
    },
};

/// Most channels of one link; shards share them, a shard always keeps to one.
const CHANNELS_MAX: u32 = 8;

/// Opens publishing connections to one exchange.
#[derive(Debug)]
pub struct AmqpPublishBroker {
    endpoint: Endpoint,
    exchange: ShortString,
}

impl AmqpPublishBroker {
    /// Publishes to `exchange` through `endpoint`.
    ///
    /// # Errors
    /// The exchange's name is no AMQP short string.
    pub fn new(endpoint: Endpoint, exchange: &str) -> Result<Self, LinkError> {
        let exchange = ShortString::try_new(exchange)
            .map_err(|e| LinkError::because(LinkKind::Protocol, "the exchange's name is too long", e))?;
        Ok(Self { endpoint, exchange })
    }
}

#[async_trait]
impl PublishBroker for AmqpPublishBroker {
    async fn open(&self, shards: u32) -> Result<Box<dyn PublishLink>, LinkError> {
        let connection = self.endpoint.connect().await?;
        let events = connection.events_listener().boxed();
        let mut channels = Vec::new();
        for _ in 0..shards.clamp(1, CHANNELS_MAX) {
            channels.push(confirm_channel(&connection).await?);
        }
        Ok(Box::new(AmqpLink {
            exchange: self.exchange.clone(),
            books: channels.iter().map(|_| Confirms::default()).collect(),
            channels,
            waiting: FuturesUnordered::new(),
            events,
            connection,
        }))
    }
}

async fn confirm_channel(connection: &Connection) -> Result<Channel, LinkError> {
    let opening = async {
        let channel = connection.create_channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        Ok(channel)
    };
    match timeout(CLOSE_DEADLINE, opening).await {
        Ok(result) => result.map_err(|e| link_error("opening a confirm channel", e)),
        Err(_) => Err(LinkError::new(LinkKind::Lost, "the broker did not open a channel in time")),
    }
}

struct Answer {
    channel: usize,
    sequence: Sequence,
    ticket: Ticket,
    message: Arc<Routed>,
    confirmation: Result<Confirmation, lapin::Error>,
}

struct AmqpLink {
    exchange: ShortString,
    channels: Vec<Channel>,
    books: Vec<Confirms>,
    waiting: FuturesUnordered<BoxFuture<'static, Answer>>,
    events: BoxStream<'static, Event>,
    connection: Connection,
}

impl fmt::Debug for AmqpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmqpLink").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

#[async_trait]
impl PublishLink for AmqpLink {
    async fn send(
        &mut self,
        ticket: Ticket,
        message: Arc<Routed>,
        published_at_ms: i64,
    ) -> Result<(), LinkError> {
        let bad = |e| LinkError::because(LinkKind::Protocol, "a property is too long for AMQP", e);
        let properties = properties::encode(&message, published_at_ms).map_err(bad)?;
        let routing_key = ShortString::try_new(message.routing_key()).map_err(bad)?;
        let index = usize::try_from(message.shard()).unwrap_or(0) % self.channels.len();
        let (Some(channel), Some(book)) = (self.channels.get(index), self.books.get_mut(index)) else {
            return Err(LinkError::new(LinkKind::Lost, "the link has no channel"));
        };
        let (channel, exchange, sequence) = (channel.clone(), self.exchange.clone(), book.sent());
        let mut answer = async move {
            let confirmation = publish(&channel, exchange, routing_key, &message, properties).await;
            Answer { channel: index, sequence, ticket, message, confirmation }
        }
        .boxed();
        // The first poll queues the frames: wire order is the order of these calls (T23).
        match std::future::poll_fn(|cx| Poll::Ready(answer.poll_unpin(cx))).await {
            Poll::Ready(done) => self.waiting.push(async move { done }.boxed()),
            Poll::Pending => self.waiting.push(answer),
        }
        Ok(())
    }

    async fn next(&mut self) -> Result<LinkEvent, LinkError> {
        loop {
            let arrived = std::future::poll_fn(|cx| {
                // Confirms first: an error that ended the connection also ends them.
                if let Poll::Ready(Some(answer)) = self.waiting.poll_next_unpin(cx) {
                    return Poll::Ready(Arrived::Answer(Box::new(answer)));
                }
                match Pin::new(&mut self.events).poll_next(cx) {
                    Poll::Ready(Some(event)) => Poll::Ready(Arrived::Event(event)),
                    Poll::Ready(None) => Poll::Ready(Arrived::End),
                    Poll::Pending => Poll::Pending,
                }
            })
            .await;
            match arrived {
                Arrived::Answer(answer) => {
                    let verdicts = self.settle(*answer)?;
                    if !verdicts.is_empty() {
                        return Ok(LinkEvent::Verdicts(verdicts));
                    }
                }
                Arrived::Event(Event::ConnectionBlocked(reason)) => return Ok(LinkEvent::Blocked(reason)),
                Arrived::Event(Event::ConnectionUnblocked) => return Ok(LinkEvent::Unblocked),
                Arrived::Event(Event::Error(error)) => return Err(link_error("the connection ended", error)),
                Arrived::Event(_) => {}
                Arrived::End => return Err(LinkError::new(LinkKind::Lost, "the connection ended")),
            }
        }
    }

    async fn close(mut self: Box<Self>, orderly: bool) {
        if orderly {
            connection::close(&self.connection).await;
        }
        self.waiting.clear();
    }
}

enum Arrived {
    Answer(Box<Answer>),
    Event(Event),
    End,
}

impl AmqpLink {
    /// Books the first answer and everything else that is completed, then takes what may be believed.
    fn settle(&mut self, first: Answer) -> Result<Vec<Verdict>, LinkError> {
        self.book(first)?;
        for answer in completed(&mut self.waiting) {
            self.book(answer)?;
        }
        Ok(self.books.iter_mut().flat_map(Confirms::believed).collect())
    }

    fn book(&mut self, answer: Answer) -> Result<(), LinkError> {
        let confirmation = answer.confirmation.map_err(|e| link_error("publishing", e))?;
        let acked = match &confirmation {
            Confirmation::Ack(_) => true,
            Confirmation::Nack(_) => false,
            Confirmation::NotRequested => {
                return Err(LinkError::new(LinkKind::Protocol, "a channel lost its confirm mode"));
            }
        };
        let carried = confirmation.take_message().map(|m| {
            let message_id = m.properties.message_id().as_ref().map(|id| id.as_str().to_owned());
            let routing_key = m.routing_key.as_str().to_owned();
            let identity = Identity { message_id: message_id.unwrap_or_default(), routing_key };
            (identity, format!("{} {}", m.reply_code, m.reply_text))
        });
        if let Some(book) = self.books.get_mut(answer.channel) {
            let identity = Identity {
                message_id: answer.message.envelope().message_id.clone(),
                routing_key: answer.message.routing_key().to_owned(),
            };
            book.resolve(answer.sequence, answer.ticket, identity, acked, carried);
        }
        Ok(())
    }
}

async fn publish(
    channel: &Channel,
    exchange: ShortString,
    routing_key: ShortString,
    message: &Routed,
    properties: lapin::BasicProperties,
) -> Result<Confirmation, lapin::Error> {
    let options = BasicPublishOptions { mandatory: true, immediate: false };
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that publishes: mandatory, on a confirm channel"
    )]
    let confirm =
        channel.basic_publish(exchange, routing_key, options, &message.envelope().body, properties).await?;
    confirm.await
}
