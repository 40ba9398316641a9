//! Whether one existing object is what the file asks for.
//!
//! Values are compared with their types. What does nothing is no difference: where the leader was placed
//! when the queue was made, an argument that no broker of this version knows, or one that may stand on any
//! shard. Otherwise queues that somebody else declared well would be refused for ever, because arguments
//! can't be taken off.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    desired::{DesiredExchange, DesiredQueue, QUEUE_TYPE},
    lint::{
        Queue, Role, VERSIONS,
        arguments::{Weight, judge_added},
    },
    observed::{Difference, ObservedExchange, ObservedQueue, Value, Verdict},
    plan::FieldChange,
    version::BrokerVersion,
};

/// The one exchange argument that brokers compare; it would hide missing routes (T12).
const ALTERNATE_EXCHANGE: &str = "alternate-exchange";

/// Read once, when the queue is made.
const PLACEMENT: &str = "x-queue-leader-locator";

/// What comparing one existing object gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is as asked for.
    Same,
    /// Nothing is known to differ, and this is why not everything is known.
    Unknown(String),
    /// It differs.
    Differs(Vec<FieldChange>),
}

impl Fit {
    /// Of every difference that there is.
    pub(super) fn of_fields(fields: Vec<FieldChange>) -> Self {
        if fields.is_empty() { Self::Same } else { Self::Differs(fields) }
    }

    /// `idle`: whether the difference does nothing.
    fn of_verdict(verdict: Option<&Verdict>, idle: impl Fn(&Difference) -> bool) -> Self {
        match verdict {
            None => Self::Unknown("its arguments can't be seen".to_owned()),
            Some(Verdict::Same) => Self::Same,
            Some(Verdict::Differs(difference)) if idle(difference) => Self::Unknown(format!(
                "{} differs, which does nothing; the arguments behind it can't be seen through AMQP alone",
                difference.field
            )),
            Some(Verdict::Differs(Difference { field, live, asked })) => Self::Differs(vec![FieldChange {
                field: field.clone(),
                from: live.clone(),
                to: asked.clone(),
            }]),
        }
    }
}

/// Compares the exchange.
pub(super) fn exchange(wanted: &DesiredExchange, found: &ObservedExchange) -> Fit {
    let Some(details) = &found.details else { return Fit::of_verdict(found.verdict.as_ref(), |_| false) };
    let mut fields = Vec::new();
    compare("type", Some(&Value::Text(details.kind.clone())), Some(&text(wanted.kind)), &mut fields);
    flag("durable", details.durable, true, &mut fields);
    flag("auto_delete", details.auto_delete, false, &mut fields);
    flag("internal", details.internal, false, &mut fields);
    compare(ALTERNATE_EXCHANGE, details.arguments.get(ALTERNATE_EXCHANGE), None, &mut fields);
    Fit::of_fields(fields)
}

/// Compares a queue, on a broker of this version.
pub(super) fn queue(
    wanted: &DesiredQueue,
    role: Role,
    found: &ObservedQueue,
    version: Option<BrokerVersion>,
) -> Fit {
    let idle = |name: &str, live: Option<&Value>| does_nothing(wanted, role, name, live, version);
    let Some(details) = &found.details else {
        return Fit::of_verdict(found.verdict.as_ref(), |difference| {
            idle(&difference.field, difference.live.as_ref())
        });
    };
    let mut fields = Vec::new();
    // The type counts, not whether it was given or came from a default.
    compare(QUEUE_TYPE, Some(&text(&details.kind)), Some(&text(wanted.kind.as_str())), &mut fields);
    flag("durable", details.durable, true, &mut fields);
    flag("auto_delete", details.auto_delete, false, &mut fields);
    flag("exclusive", details.exclusive, false, &mut fields);
    let names: BTreeSet<_> = details.arguments.keys().chain(wanted.arguments.keys()).collect();
    for name in names.into_iter().filter(|name| *name != QUEUE_TYPE) {
        let live = details.arguments.get(name);
        if !idle(name, live) {
            compare(name, live, wanted.arguments.get(name), &mut fields);
        }
    }
    Fit::of_fields(fields)
}

/// Whether a live value that differs from the wanted one changes nothing for the queue.
fn does_nothing(
    wanted: &DesiredQueue,
    role: Role,
    name: &str,
    live: Option<&Value>,
    version: Option<BrokerVersion>,
) -> bool {
    if name == PLACEMENT {
        return true;
    }
    let Some(live) = live.filter(|_| name.starts_with("x-") && !wanted.arguments.contains_key(name)) else {
        return false;
    };
    let versions = version.map_or_else(|| VERSIONS.to_vec(), |version| vec![version]);
    let none = BTreeMap::new();
    let queue = Queue { role, kind: wanted.kind.into(), arguments: &none };
    let findings = judge_added(&queue, name, live, &versions);
    findings.iter().all(|finding| matches!(finding.weight, Weight::Advice | Weight::NoEffect))
}

/// The text `1000` is not the number 1000.
fn compare(field: &str, from: Option<&Value>, to: Option<&Value>, fields: &mut Vec<FieldChange>) {
    if from != to {
        fields.push(FieldChange { field: field.to_owned(), from: from.cloned(), to: to.cloned() });
    }
}

fn flag(field: &str, found: bool, wanted: bool, fields: &mut Vec<FieldChange>) {
    compare(field, Some(&Value::Bool(found)), Some(&Value::Bool(wanted)), fields);
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}
