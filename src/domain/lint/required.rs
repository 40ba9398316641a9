//! What a shard's queue must have, whoever declared it: one active consumer, a finite delivery limit, a
//! dead-letter target that keeps its copies, and no deletion when it is full.
//!
//! The three dead-letter arguments and `x-overflow` are one rule, because each alone falls back to losing
//! messages in silence (T40).

use super::{
    Queue, QueueType, Role,
    arguments::{Verdict, Weight},
};
use crate::domain::{observed::Value, version::BrokerVersion};

/// Below it a few lost consumers move healthy messages aside: each counts for all messages it held (T38).
pub const DELIVERY_LIMIT_LOW: i64 = 1000;

/// What retries count on, milliseconds; the broker's own default (T51).
const CONSUMER_TIMEOUT_MS: i64 = 30 * 60 * 1000;

/// What is missing, or set so that a promise breaks.
pub(super) fn judge(queue: &Queue<'_>, version: BrokerVersion) -> Vec<Verdict> {
    if queue.kind == QueueType::Stream {
        let text = "stream keeps acknowledged messages and has no single active consumer";
        return vec![Verdict::new("x-queue-type", Weight::Hazard, text)];
    }
    let mut found = Vec::new();
    found.extend(overflow(queue));
    if queue.kind == QueueType::Quorum {
        found.extend(delivery_limit(queue, version));
    }
    if queue.role == Role::Shard {
        found.extend(single_active(queue));
        found.extend(dead_letter(queue));
    }
    found
}

fn hazard(argument: &str, text: impl Into<String>) -> Option<Verdict> {
    Some(Verdict::new(argument, Weight::Hazard, text))
}

fn single_active(queue: &Queue<'_>) -> Option<Verdict> {
    let on = queue.arguments.get("x-single-active-consumer") == Some(&Value::Bool(true));
    let text = "is not true: two consumers share the queue, and order is lost at every crash of one";
    if on { None } else { hazard("x-single-active-consumer", text) }
}

fn overflow(queue: &Queue<'_>) -> Option<Verdict> {
    let overflow = queue.text("x-overflow").unwrap_or("drop-head");
    let limited =
        ["x-max-length", "x-max-length-bytes"].iter().any(|name| queue.arguments.contains_key(*name));
    match (overflow, queue.kind) {
        ("reject-publish-dlx", QueueType::Classic) => hazard(
            "x-overflow",
            "reject-publish-dlx copies refused messages to the dead-letter queue as well",
        ),
        ("reject-publish", _) => None,
        _ if limited => {
            hazard("x-overflow", format!("{overflow} deletes the oldest messages of a full queue"))
        }
        _ => None,
    }
}

fn delivery_limit(queue: &Queue<'_>, version: BrokerVersion) -> Option<Verdict> {
    const ARGUMENT: &str = "x-delivery-limit";
    let limit = queue.integer(ARGUMENT);
    let shard = queue.role == Role::Shard;
    let from_4 = version.at_least(4, 0);
    match limit {
        // Nothing but the limit makes a return keep its place.
        None if !from_4 && shard => hazard(ARGUMENT, "is missing: a returned message goes to the tail"),
        None if !from_4 => None,
        None if shard => hazard(
            ARGUMENT,
            "is missing: the default of 20 moves messages aside that lost their consumers that often",
        ),
        None => hazard(
            ARGUMENT,
            "is missing: the default of 20 deletes messages that lost their consumers that often",
        ),
        Some(limit) if limit < 0 && from_4 => {
            hazard(ARGUMENT, format!("{limit} is no limit: a returned message goes to the tail"))
        }
        Some(limit) if limit <= 0 => {
            let gone = if shard { "moves a message aside" } else { "deletes a message" };
            hazard(ARGUMENT, format!("{limit} {gone} when it is returned for the first time"))
        }
        Some(limit) if limit < DELIVERY_LIMIT_LOW && !shard => {
            hazard(ARGUMENT, format!("{limit} deletes messages that lost their consumers that often"))
        }
        Some(limit) if limit < DELIVERY_LIMIT_LOW => Some(Verdict::new(ARGUMENT, Weight::Advice, low(limit))),
        Some(_) => None,
    }
}

/// The advice on a low limit.
#[must_use]
pub fn low(limit: i64) -> String {
    format!(
        "{limit} is low: each lost or closed consumer counts for every message it held, \
         so that many restarts move healthy messages aside; {DELIVERY_LIMIT_LOW} or more is advised"
    )
}

fn dead_letter(queue: &Queue<'_>) -> Option<Verdict> {
    let Some(exchange) = queue.text("x-dead-letter-exchange") else {
        return hazard("x-dead-letter-exchange", "is missing: what exceeds the delivery limit is deleted");
    };
    if exchange.is_empty() && queue.text("x-dead-letter-routing-key").is_none() {
        let text = "is missing: with the default exchange, dead-lettered messages reach no queue";
        return hazard("x-dead-letter-routing-key", text);
    }
    if queue.kind == QueueType::Classic {
        return None;
    }
    if queue.text("x-dead-letter-strategy") != Some("at-least-once") {
        let text = "is not at-least-once: a message is gone when its copy does not arrive";
        return hazard("x-dead-letter-strategy", text);
    }
    let text = "is not reject-publish: dead-lettering falls back to at-most-once, with or without a limit";
    if queue.text("x-overflow") == Some("reject-publish") { None } else { hazard("x-overflow", text) }
}

/// A timeout that fires while a consumer still tries; from 4.3 on the consumer's own value wins.
pub(super) fn is_short(name: &str, value: &Value, kind: QueueType, version: BrokerVersion) -> bool {
    let short = matches!(value, Value::Integer(ms) if *ms < CONSUMER_TIMEOUT_MS);
    name == "x-consumer-timeout" && short && !(kind == QueueType::Quorum && version.at_least(4, 3))
}
