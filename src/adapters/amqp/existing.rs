//! What the answer to a declaration says about an object that may exist.

use lapin::{
    ErrorKind,
    protocol::{AMQPErrorKind, AMQPSoftError},
};

use super::{error::link_error, inequivalent};
use crate::{
    domain::{
        desired::{DesiredExchange, DesiredQueue},
        observed::{Difference, Value, Verdict},
        plan::Step,
    },
    ports::link::{LinkError, LinkKind},
};

/// What an answer says.
#[derive(Debug)]
pub(super) enum Answer {
    /// It does not exist.
    Missing,
    /// It exists, but this user may not ask whether it fits.
    Unknown,
    /// It exists and fits or does not.
    Verdict(Verdict),
}

impl Answer {
    /// The verdict on an object that is known to exist.
    pub(super) fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Missing | Self::Unknown => None,
            Self::Verdict(verdict) => Some(verdict),
        }
    }
}

/// Reads the answer to declaring a queue.
pub(super) fn queue_answer(
    doing: String,
    result: Result<(), lapin::Error>,
    wanted: &DesiredQueue,
) -> Result<Answer, LinkError> {
    read(doing, result, LinkKind::QueueMissing, |field| match field {
        "durable" => Some(Value::Bool(true)),
        "auto_delete" | "exclusive" => Some(Value::Bool(false)),
        argument => wanted.arguments.get(argument).cloned(),
    })
}

/// Reads the answer to declaring an exchange.
pub(super) fn exchange_answer(
    doing: String,
    result: Result<(), lapin::Error>,
    wanted: &DesiredExchange,
) -> Result<Answer, LinkError> {
    read(doing, result, LinkKind::ExchangeMissing, |field| match field {
        "type" => Some(Value::Text(wanted.kind.to_owned())),
        "durable" => Some(Value::Bool(true)),
        "auto_delete" | "internal" => Some(Value::Bool(false)),
        _ => None,
    })
}

fn read(
    doing: String,
    result: Result<(), lapin::Error>,
    missing: LinkKind,
    asked: impl Fn(&str) -> Option<Value>,
) -> Result<Answer, LinkError> {
    let Err(error) = result else { return Ok(Answer::Verdict(Verdict::Same)) };
    if let ErrorKind::ProtocolError(amqp) = error.kind() {
        match amqp.kind() {
            AMQPErrorKind::Soft(AMQPSoftError::PRECONDITIONFAILED) => {
                if let Some(difference) = inequivalent::parse(amqp.get_message().as_str(), asked) {
                    return Ok(Answer::Verdict(Verdict::Differs(difference)));
                }
            }
            AMQPErrorKind::Soft(AMQPSoftError::RESOURCELOCKED) => {
                return Ok(Answer::Verdict(Verdict::Differs(Difference {
                    field: "exclusive".to_owned(),
                    live: Some(Value::Bool(true)),
                    asked: Some(Value::Bool(false)),
                })));
            }
            AMQPErrorKind::Soft(AMQPSoftError::ACCESSREFUSED) => return Ok(Answer::Unknown),
            AMQPErrorKind::Soft(_) | AMQPErrorKind::Hard(_) => {}
        }
    }
    let error = link_error(doing, error);
    if error.kind == missing { Ok(Answer::Missing) } else { Err(error) }
}

/// A broker's step, for error texts.
pub(super) fn doing(step: &Step) -> String {
    match step {
        Step::Exchange { name, .. } => format!("declaring exchange {name}"),
        Step::Queue { name, .. } => format!("declaring queue {name}"),
        Step::Binding { exchange, queue, .. } => format!("binding queue {queue} to exchange {exchange}"),
        Step::Unbind { exchange, queue, .. } => format!("unbinding queue {queue} from exchange {exchange}"),
        Step::DeleteQueue { name, .. } => format!("deleting queue {name}"),
        Step::DeleteExchange { name } => format!("deleting exchange {name}"),
        Step::Policy { policy } => format!("setting policy {}", policy.name),
        Step::DeletePolicy { name } => format!("deleting policy {name}"),
        Step::Tables { .. } | Step::Schema { .. } => "changing a store".to_owned(),
    }
}
