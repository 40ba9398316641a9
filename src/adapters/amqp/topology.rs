//! Seeing and changing exchange, queues and bindings through AMQP.
//!
//! AMQP lists nothing. Whether an object exists is asked by passive declare; whether it fits, by declaring it
//! again as the file describes it, which the broker confirms or refuses with 406 and never carries out. That is done
//! only for what exists, so a look creates nothing unless somebody deletes the object between the two
//! requests. No two requests share a channel at a time, because a refusal ends the channel (T31).

use std::{collections::BTreeMap, fmt, sync::PoisonError};

use async_trait::async_trait;
use futures_util::{StreamExt, TryStreamExt, stream};
use lapin::{
    Channel, Connection, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueDeclareOptions},
    types::{FieldTable, ShortString},
};
use tokio::{sync::Mutex, time::timeout};

use super::{
    arguments,
    connection::{self, Endpoint},
    error::link_error,
    existing::{self, Answer},
    steps,
};
use crate::{
    domain::{
        desired::{Desired, DesiredExchange, DesiredQueue},
        observed::{Observed, ObservedExchange, ObservedQueue, QueueStats, Sight, Verdict},
        plan::Step,
        topology::Topology,
    },
    ports::{
        link::{LinkError, LinkKind},
        topology::TopologyBroker,
    },
};

/// Longest time that one request may take; the broker fsyncs new quorum queues.
const REQUEST_DEADLINE: std::time::Duration = std::time::Duration::from_secs(30);
/// Requests in flight while looking: hides the round trips of a distant broker.
const PARALLEL: usize = 16;

/// What AMQP has no requests for.
const UNSEEN: &str = "not checked, because AMQP alone does not show it: bindings of others, policies, orphaned queues, \
                      the default queue type";

/// The broker's objects, over one connection that is opened when needed.
pub struct AmqpTopology {
    endpoint: Endpoint,
    connection: Mutex<Option<Connection>>,
    /// Open channels with no request in flight.
    idle: std::sync::Mutex<Vec<Channel>>,
}

impl fmt::Debug for AmqpTopology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmqpTopology").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl AmqpTopology {
    /// Sees and changes what is behind `endpoint`.
    #[must_use]
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint, connection: Mutex::new(None), idle: std::sync::Mutex::default() }
    }

    /// Closes the connection in order, within a few seconds.
    pub async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take() {
            connection::close(&connection).await;
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A channel that nobody else uses: one that was given back, else a new one.
    pub(super) async fn channel(&self) -> Result<Channel, LinkError> {
        while let Some(channel) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            if channel.status().connected() {
                return Ok(channel);
            }
        }
        let mut slot = self.connection.lock().await;
        if !slot.as_ref().is_some_and(|c| c.status().connected()) {
            *slot = Some(self.endpoint.connect().await?);
        }
        let Some(connection) = slot.as_ref() else {
            return Err(LinkError::new(LinkKind::Lost, "no connection"));
        };
        let doing = "opening a channel";
        answer(doing, connection.create_channel()).await?.map_err(|e| link_error(doing, e))
    }

    /// Keeps a channel for the next request, unless its last one was refused, which ended it.
    pub(super) fn give_back<T>(&self, channel: Channel, last: &Result<T, lapin::Error>) {
        if last.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(channel);
        }
    }

    async fn observe_exchange(
        &self,
        wanted: &DesiredExchange,
    ) -> Result<Option<ObservedExchange>, LinkError> {
        let name = short(&wanted.name)?;
        let declare = async |options| {
            let channel = self.channel().await?;
            let doing = format!("looking at exchange {}", wanted.name);
            let request =
                channel.exchange_declare(name.clone(), kind(wanted.kind), options, FieldTable::default());
            let result = answer(&doing, request).await?;
            self.give_back(channel, &result);
            Ok::<_, LinkError>(existing::exchange_answer(doing, result, wanted))
        };
        let passive = ExchangeDeclareOptions { passive: true, ..durable_exchange() };
        Ok(match declare(passive).await?? {
            Answer::Missing => None,
            Answer::Unknown => Some(ObservedExchange { details: None, verdict: None }),
            Answer::Verdict(_) => {
                let verdict = declare(durable_exchange()).await??.verdict();
                Some(ObservedExchange { details: None, verdict })
            }
        })
    }

    async fn observe_queue(&self, wanted: &DesiredQueue) -> Result<Option<ObservedQueue>, LinkError> {
        let name = short(&wanted.name)?;
        let declare = async |options, arguments| {
            let channel = self.channel().await?;
            let doing = format!("looking at queue {}", wanted.name);
            let result = answer(&doing, channel.queue_declare(name.clone(), options, arguments)).await?;
            self.give_back(channel, &result);
            Ok::<_, LinkError>(existing::queue_answer(doing, result.map(|_| ()), wanted))
        };
        let passive = QueueDeclareOptions { passive: true, ..durable_queue() };
        Ok(match declare(passive, FieldTable::default()).await?? {
            Answer::Missing => None,
            Answer::Unknown => Some(ObservedQueue { details: None, verdict: None }),
            // An exclusive queue of somebody else answers even the passive declare with its difference.
            Answer::Verdict(verdict @ Verdict::Differs(_)) => {
                Some(ObservedQueue { details: None, verdict: Some(verdict) })
            }
            Answer::Verdict(Verdict::Same) => {
                let again = declare(durable_queue(), arguments::table(&wanted.arguments)?).await??;
                Some(ObservedQueue { details: None, verdict: again.verdict() })
            }
        })
    }

    pub(super) async fn queue_stats(&self, queue: &str) -> Result<Option<QueueStats>, LinkError> {
        let channel = self.channel().await?;
        let doing = format!("counting queue {queue}");
        let passive = QueueDeclareOptions { passive: true, ..durable_queue() };
        let request = channel.queue_declare(short(queue)?, passive, FieldTable::default());
        let result = answer(&doing, request).await?;
        self.give_back(channel, &result);
        match result {
            Ok(found) => Ok(Some(QueueStats {
                ready: u64::from(found.message_count()),
                unacked: None,
                consumers: u64::from(found.consumer_count()),
                active_tag: None,
            })),
            Err(error) => {
                let error = link_error(doing, error);
                if error.kind == LinkKind::QueueMissing { Ok(None) } else { Err(error) }
            }
        }
    }
}

#[async_trait]
impl TopologyBroker for AmqpTopology {
    async fn reach(&self) -> Result<(), LinkError> {
        self.give_back(self.channel().await?, &Ok(()));
        Ok(())
    }

    async fn observe(&self, topology: &Topology) -> Result<Observed, LinkError> {
        let desired = Desired::of(topology);
        let exchange = self.observe_exchange(&desired.exchange).await?;
        let looks: Vec<_> = desired.all_queues().map(|wanted| self.observe_queue(wanted)).collect();
        let found: Vec<_> = stream::iter(looks).buffered(PARALLEL).try_collect().await?;
        let names = desired.all_queues().map(|wanted| wanted.name.clone());
        let queues = names.zip(found).filter_map(|(name, found)| found.map(|found| (name, found)));
        Ok(Observed {
            sight: Sight::Amqp,
            broker_version: None,
            exchange,
            queues: queues.collect(),
            bindings: None,
            policies: None,
            default_queue_type: None,
            orphans: BTreeMap::new(),
            unread: vec![UNSEEN.to_owned()],
        })
    }

    async fn execute(&self, step: &Step) -> Result<(), LinkError> {
        steps::execute(self, step).await
    }

    async fn stats(&self, queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError> {
        let looks: Vec<_> = queues.iter().map(|queue| self.queue_stats(queue)).collect();
        stream::iter(looks).buffered(PARALLEL).try_collect().await
    }
}

/// Durable and nothing else; the library's defaults are transient (T64).
pub(super) fn durable_exchange() -> ExchangeDeclareOptions {
    ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() }
}

pub(super) fn durable_queue() -> QueueDeclareOptions {
    QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() }
}

pub(super) fn kind(name: &str) -> ExchangeKind {
    match name {
        "direct" => ExchangeKind::Direct,
        "topic" => ExchangeKind::Topic,
        other => ExchangeKind::Custom(other.to_owned()),
    }
}

/// Names over 255 bytes make the library panic (T16).
pub(super) fn short(text: &str) -> Result<ShortString, LinkError> {
    ShortString::try_new(text)
        .map_err(|e| LinkError::because(LinkKind::Protocol, "a name is too long for AMQP", e))
}

/// The broker's answer; an error when none comes in time.
pub(super) async fn answer<T>(
    doing: &str,
    request: impl Future<Output = Result<T, lapin::Error>>,
) -> Result<Result<T, lapin::Error>, LinkError> {
    timeout(REQUEST_DEADLINE, request)
        .await
        .map_err(|_| LinkError::new(LinkKind::Lost, format!("{doing}: the broker did not answer in time")))
}
