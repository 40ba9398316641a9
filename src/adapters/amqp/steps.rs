//! Carrying out the steps of a plan that AMQP has requests for.
//!
//! No two steps share a channel at a time, because a refusal ends the channel (T31). Declaring, binding,
//! unbinding and deleting what is already so are all answered with success, so each step can be run twice.

use lapin::{
    options::{ExchangeDeleteOptions, QueueBindOptions, QueueDeleteOptions},
    types::FieldTable,
};

use super::{
    arguments,
    error::link_error,
    existing,
    topology::{AmqpTopology, answer, durable_exchange, durable_queue, kind, short},
};
use crate::{
    domain::plan::Step,
    ports::link::{LinkError, LinkKind},
};

/// Runs one step.
pub(super) async fn execute(broker: &AmqpTopology, step: &Step) -> Result<(), LinkError> {
    if let Step::DeleteQueue { name, discard: false } = step {
        refuse_used(broker, name).await?;
    }
    let (doing, channel) = (existing::doing(step), broker.channel().await?);
    let result = match step {
        Step::Exchange { name, kind: kind_name } => {
            let (name, arguments) = (short(name)?, FieldTable::default());
            let request = channel.exchange_declare(name, kind(kind_name), durable_exchange(), arguments);
            answer(&doing, request).await?
        }
        Step::Queue { name, arguments } => {
            let arguments = arguments::table(arguments)?;
            let request = channel.queue_declare(short(name)?, durable_queue(), arguments);
            answer(&doing, request).await?.map(|_| ())
        }
        Step::Binding { exchange, queue, routing_key } => {
            let (queue, exchange, key) = (short(queue)?, short(exchange)?, short(routing_key)?);
            let (options, arguments) = (QueueBindOptions::default(), FieldTable::default());
            answer(&doing, channel.queue_bind(queue, exchange, key, options, arguments)).await?
        }
        Step::Unbind { exchange, queue, routing_key } => {
            let (queue, exchange, key) = (short(queue)?, short(exchange)?, short(routing_key)?);
            answer(&doing, channel.queue_unbind(queue, exchange, key, FieldTable::default())).await?
        }
        Step::DeleteQueue { name, .. } => {
            // Quorum queues know neither if-unused nor if-empty: they close the connection with 540.
            let request = channel.queue_delete(short(name)?, QueueDeleteOptions::default());
            answer(&doing, request).await?.map(|_| ())
        }
        Step::DeleteExchange { name } => {
            let options = ExchangeDeleteOptions { if_unused: true, ..ExchangeDeleteOptions::default() };
            answer(&doing, channel.exchange_delete(short(name)?, options)).await?
        }
        Step::Tables { .. } | Step::Schema { .. } | Step::Policy { .. } | Step::DeletePolicy { .. } => {
            return Err(LinkError::new(LinkKind::Protocol, "AMQP has no request for this step"));
        }
    };
    broker.give_back(channel, &result);
    result.map_err(|e| link_error(doing, e))
}

/// The broker itself refuses the deletion of a used queue for classic queues only. Without a consumer there
/// are no unacknowledged messages either.
async fn refuse_used(broker: &AmqpTopology, queue: &str) -> Result<(), LinkError> {
    let Some(stats) = broker.queue_stats(queue).await? else { return Ok(()) };
    let used = |text: String| Err(LinkError::new(LinkKind::Precondition, format!("queue {queue} {text}")));
    match (stats.ready, stats.consumers) {
        (0, 0) => Ok(()),
        (0, consumers) => used(format!("has {consumers} consumers and was not deleted")),
        (ready, _) => used(format!("holds {ready} messages and was not deleted")),
    }
}
