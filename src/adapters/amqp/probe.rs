//! Probes over AMQP: one channel per ear, one per probe.
//!
//! One publish per channel, so that a returned message can only belong to it (T2).

use std::{fmt, mem::ManuallyDrop, time::Duration};

use async_trait::async_trait;
use futures_util::StreamExt;
use lapin::{
    BasicProperties, Channel, Confirmation, Consumer,
    options::{
        BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, ConfirmSelectOptions,
    },
    types::{AMQPValue, FieldTable, ShortString},
};
use tokio::time::timeout;

use super::{
    connection::CLOSE_DEADLINE,
    error::link_error,
    properties,
    topology::{AmqpTopology, answer, short},
};
use crate::{
    domain::{
        envelope::{APP_ID, HeaderValue},
        probe::{HEADER_PROBE, is_probe},
    },
    ports::{
        link::{LinkError, LinkKind},
        probe::{Heard, ProbeBroker, ProbeListener, Sent},
    },
};

/// Persistent, like every message of ours.
const PERSISTENT: u8 = 2;

#[async_trait]
impl ProbeBroker for AmqpTopology {
    async fn listen(&self, queue: &str) -> Result<Box<dyn ProbeListener>, LinkError> {
        let doing = format!("listening for a probe on {queue}");
        let channel = self.channel().await?;
        let consuming = async {
            channel.basic_qos(1, BasicQosOptions::default()).await?;
            let (options, tag) = (BasicConsumeOptions::default(), ShortString::from(""));
            channel
                .basic_consume(short(queue)?, tag, options, FieldTable::default())
                .await
                .map_err(Trouble::Broker)
        };
        match timeout(CLOSE_DEADLINE, consuming).await {
            Ok(Ok(consumer)) => Ok(Box::new(Ear { channel, consumer: ManuallyDrop::new(consumer) })),
            Ok(Err(Trouble::Link(error))) => Err(error),
            Ok(Err(Trouble::Broker(error))) => Err(link_error(doing, error)),
            Err(_) => {
                close(&channel).await?;
                Err(LinkError::new(LinkKind::Lost, format!("{doing}: the broker did not answer in time")))
            }
        }
    }

    async fn send(&self, exchange: &str, routing_key: &str, id: &str) -> Result<Sent, LinkError> {
        let (exchange, key) = (short(exchange)?, short(routing_key)?);
        let doing = format!("publishing a probe with {routing_key}");
        let mut headers = FieldTable::default();
        headers.insert(HEADER_PROBE.into(), AMQPValue::LongString(id.into()));
        let properties = BasicProperties::default()
            .with_message_id(short(id)?)
            .with_app_id(APP_ID.into())
            .with_delivery_mode(PERSISTENT)
            .with_headers(headers);
        let channel = self.channel().await?;
        let publishing = async {
            channel.confirm_select(ConfirmSelectOptions::default()).await?;
            let options = BasicPublishOptions { mandatory: true, immediate: false };
            #[expect(clippy::disallowed_methods, reason = "mandatory, on a confirm channel, awaited")]
            let confirm = channel.basic_publish(exchange, key, options, &[], properties).await?;
            confirm.await
        };
        let confirmation = answer(&doing, publishing).await?.map_err(|e| link_error(doing.clone(), e))?;
        // Its next user would not expect confirms.
        close(&channel).await?;
        match confirmation {
            Confirmation::Ack(None) => Ok(Sent::Routed),
            Confirmation::Ack(Some(_)) => Ok(Sent::Returned),
            Confirmation::Nack(_) => Ok(Sent::Nacked),
            Confirmation::NotRequested => {
                Err(LinkError::new(LinkKind::Protocol, format!("{doing}: the channel lost its confirm mode")))
            }
        }
    }
}

/// What can go wrong while subscribing.
enum Trouble {
    Link(LinkError),
    Broker(lapin::Error),
}

impl From<LinkError> for Trouble {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<lapin::Error> for Trouble {
    fn from(error: lapin::Error) -> Self {
        Self::Broker(error)
    }
}

struct Ear {
    channel: Channel,
    /// Dropped before the channel's close it would send a cancel, and the queue would go to a standby while
    /// a message is unacked here. So it is leaked unless [`ProbeListener::close`] ends in order.
    consumer: ManuallyDrop<Consumer>,
}

impl fmt::Debug for Ear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ear").field("channel", &self.channel.id()).finish_non_exhaustive()
    }
}

#[async_trait]
impl ProbeListener for Ear {
    async fn hear(&mut self, id: &str, patience: Duration) -> Result<Heard, LinkError> {
        // With a prefetch of one nothing comes before the answer to what came.
        while let Ok(next) = timeout(patience, self.consumer.next()).await {
            let delivery = match next {
                Some(Ok(delivery)) => delivery,
                Some(Err(error)) => return Err(link_error("listening for a probe", error)),
                None => {
                    return Err(LinkError::new(LinkKind::Lost, "the broker cancelled a probe's consumer"));
                }
            };
            let incoming = properties::decode(&delivery.properties, delivery.data, delivery.redelivered);
            if !is_probe(&incoming) {
                return Ok(Heard::Message);
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "a probe is no message: there is nothing to commit"
            )]
            let acking = delivery.acker.ack(BasicAckOptions::default());
            answer("taking a probe out", acking).await?.map_err(|e| link_error("taking a probe out", e))?;
            if incoming.headers.get(HEADER_PROBE) == Some(&HeaderValue::Text(id.to_owned())) {
                return Ok(Heard::Probe);
            }
        }
        Ok(Heard::Nothing)
    }

    async fn close(self: Box<Self>) -> Result<(), LinkError> {
        let closed = close(&self.channel).await;
        if closed.is_ok() || !self.channel.status().connected() {
            drop(ManuallyDrop::into_inner(self.consumer));
        }
        closed
    }
}

async fn close(channel: &Channel) -> Result<(), LinkError> {
    let doing = "closing a probe's channel";
    match timeout(CLOSE_DEADLINE, channel.close(200, ShortString::from("OK"))).await {
        Ok(result) => result.map_err(|e| link_error(doing, e)),
        Err(_) => Err(LinkError::new(LinkKind::Lost, format!("{doing}: the broker did not answer in time"))),
    }
}
