//! What a worker tells its observer about single messages.

use std::time::Duration;

use super::worker::Worker;
use crate::{
    domain::{message::Message, report::ConsumeCounts},
    ports::observer::{Level, MessageEvent, Status},
};

fn event<'a>(worker: &'a Worker, message: &'a Message, status: Status, level: Level) -> MessageEvent<'a> {
    MessageEvent {
        status,
        level,
        shard_id: Some(&worker.id),
        shard: worker.id.shard,
        message_id: &message.message_id,
        event_type: message.event_type.as_deref(),
        key: message.key.as_str(),
        trace_id: message.trace_id.as_deref(),
        correlation_id: message.correlation_id.as_deref(),
        destination: &worker.queue,
        attempt: 1,
        redelivered: message.redelivered,
        duration: None,
        error: None,
    }
}

pub(super) fn received(worker: &Worker, message: &Message) {
    if worker.job.observer.wants(Level::Debug) {
        worker.job.observer.message(&event(worker, message, Status::Received, Level::Debug));
    }
}

pub(super) fn committed(worker: &Worker, message: &Message, fresh: bool, attempt: u32, took: Duration) {
    if worker.job.observer.wants(Level::Debug) {
        let status = if fresh { Status::BusinessCommitted } else { Status::DuplicateSkipped };
        let base = event(worker, message, status, Level::Debug);
        worker.job.observer.message(&MessageEvent { attempt, duration: Some(took), ..base });
    }
}

pub(super) fn failing(worker: &Worker, message: &Message, attempt: u32, error: &str) {
    let base = event(worker, message, Status::Retrying, Level::Warn);
    worker.job.observer.message(&MessageEvent { attempt, error: Some(error), ..base });
}

/// The shard waits for this message; said again while it lasts.
pub(super) fn blocked(
    worker: &Worker,
    status: Status,
    message_id: &str,
    key: &str,
    attempt: u32,
    error: &str,
) {
    let status = if status == Status::Retrying { Status::Blocked } else { status };
    worker.job.observer.message(&MessageEvent {
        status,
        level: Level::Error,
        shard_id: Some(&worker.id),
        shard: worker.id.shard,
        message_id,
        event_type: None,
        key,
        trace_id: None,
        correlation_id: None,
        destination: &worker.queue,
        attempt,
        redelivered: false,
        duration: None,
        error: Some(error),
    });
}

/// The shard's summary.
pub(super) fn done(worker: &Worker) {
    let ConsumeCounts { received, committed, duplicates, transactions, .. } = worker.counts;
    let text = format!(
        "done: {received} received, {committed} committed, {duplicates} duplicates, {transactions} transactions"
    );
    worker.notice(Level::Info, &text);
}

/// An error with its cause, in one line.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
