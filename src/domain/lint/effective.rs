//! What a policy's key and an argument of the same meaning come to, as brokers join them.
//!
//! Read in RabbitMQ 3.10, 4.0 and 4.3: lengths and times take the lower number, `overflow` of a policy
//! beats the argument on quorum queues and loses on classic ones, dead-letter arguments beat policies (T41).

use super::{Queue, QueueType, Role};
use crate::domain::{
    code::Code,
    observed::Value,
    policy::{Author, Policy},
    version::BrokerVersion,
};

/// The broker's own default, milliseconds; half of it is what `check` allows a consumer (T51).
const CONSUMER_TIMEOUT_MS: i64 = 30 * 60 * 1000;

const OLDEST: &str = "makes a full queue delete its oldest messages";

/// A key's verdict: which promise it breaks and how.
pub(super) type Judged = Option<(Code, String)>;

/// A key on the exchange.
pub(super) fn exchange(key: &str) -> Judged {
    let text = "takes messages that no queue takes, and publish sees a confirm";
    (key == "alternate-exchange").then(|| (Code::AlternateExchange, text.to_owned()))
}

/// The policies in force on one object.
pub(super) struct Effective<'a> {
    in_force: &'a [&'a Policy],
    version: Option<BrokerVersion>,
}

impl<'a> Effective<'a> {
    pub(super) const fn of(in_force: &'a [&'a Policy], version: Option<BrokerVersion>) -> Self {
        Self { in_force, version }
    }

    /// The value of `key`; an operator's beats a user's.
    fn of_policies(&self, key: &str) -> Option<&Value> {
        let by = |author| {
            self.in_force.iter().filter(move |p| p.author == author).find_map(|p| p.definition.get(key))
        };
        by(Author::Operator).or_else(|| by(Author::User))
    }

    /// A key on a queue.
    pub(super) fn queue(&self, key: &str, value: &Value, policy: &Policy, queue: &Queue<'_>) -> Judged {
        match key {
            "message-ttl" => lower(queue, "x-message-ttl", value).then(|| {
                (Code::PolicyExpires, "deletes messages after that many ms, processed or not".to_owned())
            }),
            "expires" => lower(queue, "x-expires", value).then(|| {
                let text = "deletes the queue with its messages when it is not used for that many ms";
                (Code::PolicyExpires, text.to_owned())
            }),
            "max-length" | "max-length-bytes" => self.length(key, value, queue),
            "overflow" => self.overflow(value, policy, queue),
            "delivery-limit" => delivery_limit(value, queue),
            "dead-letter-exchange" | "dead-letter-routing-key" | "dead-letter-strategy" => {
                dead_letters(key, queue)
            }
            "consumer-timeout" => self.consumer_timeout(value),
            "delayed-retry-type" if *value != Value::Text("disabled".to_owned()) => {
                (queue.kind == QueueType::Quorum).then(|| {
                    let text = "sets returned messages aside while the ones behind them are delivered";
                    (Code::PolicyDelays, text.to_owned())
                })
            }
            "ha-mode" => self.mirrors(policy, queue),
            "federation-upstream" | "federation-upstream-set" => {
                let text = "moves messages between this queue and others, past those that are in flight";
                Some((Code::PolicyReorders, text.to_owned()))
            }
            _ => None,
        }
    }

    /// The `overflow` that applies: the policy's on quorum queues, the argument's on classic ones.
    fn overflow_of<'q>(&'q self, queue: &'q Queue<'_>) -> &'q str {
        let of_policy = match self.of_policies("overflow") {
            Some(Value::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let of_queue = queue.text("x-overflow");
        let first = match queue.kind {
            QueueType::Quorum => of_policy.or(of_queue),
            QueueType::Classic | QueueType::Stream => of_queue.or(of_policy),
        };
        first.unwrap_or("drop-head")
    }

    fn length(&self, key: &str, value: &Value, queue: &Queue<'_>) -> Judged {
        if !lower(queue, &format!("x-{key}"), value) {
            return None;
        }
        Some(if self.overflow_of(queue) == "reject-publish" {
            (Code::PolicyLimits, "is lower than the file's limit; a full queue refuses messages".to_owned())
        } else {
            (Code::PolicyDrops, OLDEST.to_owned())
        })
    }

    fn overflow(&self, value: &Value, policy: &Policy, queue: &Queue<'_>) -> Judged {
        let by_operator = |p: &&Policy| p.author == Author::Operator && p.definition.contains_key("overflow");
        let beaten = policy.author == Author::User && self.in_force.iter().any(by_operator);
        let own_wins = queue.kind == QueueType::Classic && queue.arguments.contains_key("x-overflow");
        if beaten || own_wins || *value == Value::Text("reject-publish".to_owned()) {
            return None;
        }
        let limited = ["max-length", "max-length-bytes"]
            .into_iter()
            .any(|key| self.of_policies(key).is_some() || queue.arguments.contains_key(&format!("x-{key}")));
        if limited {
            return Some((Code::PolicyDrops, OLDEST.to_owned()));
        }
        let at_least_once = queue.text("x-dead-letter-strategy") == Some("at-least-once");
        at_least_once.then(|| {
            let text = "makes dead-lettering at-most-once: a message is gone when its copy does not arrive";
            (Code::PolicyDeadLetters, text.to_owned())
        })
    }

    /// From 4.3 on the consumer's own value wins, and topo's consumers have one.
    fn consumer_timeout(&self, value: &Value) -> Judged {
        let own_wins = self.version.is_some_and(|v| v.at_least(4, 3));
        match value {
            Value::Integer(ms) if *ms < CONSUMER_TIMEOUT_MS && !own_wins => {
                let text =
                    "takes a message from its consumer sooner than the 30 minutes that retries count on";
                Some((Code::PolicyLimits, text.to_owned()))
            }
            _ => None,
        }
    }

    /// Mirrors of classic queues, gone since 4.0.
    fn mirrors(&self, policy: &Policy, queue: &Queue<'_>) -> Judged {
        let gone = self.version.is_some_and(|v| v.at_least(4, 0));
        let word = |key: &str| match policy.definition.get(key) {
            Some(Value::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        // The default promotes on failure, not on shutdown.
        let safe = word("ha-promote-on-failure") == Some("when-synced")
            && word("ha-promote-on-shutdown").is_none_or(|w| w == "when-synced");
        if queue.kind != QueueType::Classic || gone || safe {
            return None;
        }
        let text =
            "lets a mirror without all messages take over; ha-promote-on-failure: when-synced would not";
        Some((Code::PolicyDrops, text.to_owned()))
    }
}

/// Whether the policy's number is the one that applies.
fn lower(queue: &Queue<'_>, argument: &str, value: &Value) -> bool {
    match (queue.integer(argument), value) {
        (Some(own), Value::Integer(number)) => *number < own,
        _ => true,
    }
}

fn delivery_limit(value: &Value, queue: &Queue<'_>) -> Judged {
    let Value::Integer(number) = value else { return None };
    let own = queue.integer("x-delivery-limit");
    // A negative number means none, and loses against any other.
    let applies =
        own.map_or(*number, |own| if own < 0 || *number < 0 { own.max(*number) } else { own.min(*number) });
    if queue.kind != QueueType::Quorum || own == Some(applies) {
        return None;
    }
    Some(match queue.role {
        _ if applies < 0 => {
            (Code::PolicyReorders, "is no limit: a returned message goes to the tail".to_owned())
        }
        Role::Shard => {
            let text = "is lower than the file's limit; each lost consumer counts for all messages it held";
            (Code::PolicyLimits, text.to_owned())
        }
        Role::DeadLetter => {
            (Code::PolicyDrops, "deletes dead-lettered messages that were returned that often".to_owned())
        }
    })
}

/// Arguments win, so only a queue without them is changed; what a dead-letter queue sends on was lost before.
fn dead_letters(key: &str, queue: &Queue<'_>) -> Judged {
    if queue.role == Role::DeadLetter || queue.arguments.contains_key(&format!("x-{key}")) {
        return None;
    }
    Some((Code::PolicyDeadLetters, "decides where dead-lettered messages go".to_owned()))
}
