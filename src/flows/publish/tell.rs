//! What a publish run tells its observer, and how it hears of a stop.

use super::Job;
use crate::{
    domain::route::Routed,
    ports::{
        link::LinkError,
        observer::{Level, MessageEvent, Status},
    },
};

/// Resolves when a stop is asked for.
pub(super) async fn stopped(stop: &mut tokio::sync::watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        // Nobody is left who could ask to stop.
        std::future::pending::<()>().await;
    }
}

/// An error with its cause, in one line.
pub(super) fn chain(error: &LinkError) -> String {
    match &error.source {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// One message's event, when anybody wants it.
pub(super) fn message(job: &Job<'_>, status: Status, message: &Routed, attempt: u32, error: Option<&str>) {
    if !job.observer.wants(Level::Debug) {
        return;
    }
    let envelope = message.envelope();
    job.observer.message(&MessageEvent {
        status,
        level: Level::Debug,
        shard_id: None,
        shard: message.shard(),
        message_id: &envelope.message_id,
        event_type: envelope.event_type.as_deref(),
        key: envelope.key.as_str(),
        trace_id: envelope.trace_id.as_deref(),
        correlation_id: envelope.correlation_id.as_deref(),
        destination: message.routing_key(),
        attempt,
        redelivered: false,
        duration: None,
        error,
    });
}
