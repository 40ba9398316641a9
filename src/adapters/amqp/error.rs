//! The client library's errors, by what the caller can do about them.
//!
//! AMQP reply codes decide; reply texts only tell apart what shares a code. Does not retry anything.

use std::io;

use lapin::{
    ErrorKind,
    protocol::{AMQPErrorKind, AMQPHardError, AMQPSoftError},
};

use crate::ports::link::{LinkError, LinkKind};

/// Wraps a client error that happened while `doing` something.
#[must_use]
pub fn link_error(doing: impl Into<String>, error: lapin::Error) -> LinkError {
    LinkError::because(kind(&error), doing, error)
}

/// The kind of a client error on a connection that was open before.
#[must_use]
pub fn kind(error: &lapin::Error) -> LinkKind {
    match error.kind() {
        ErrorKind::ProtocolError(amqp) => protocol_kind(amqp.kind(), amqp.get_message().as_str()),
        ErrorKind::IOError(io) => io_kind(io),
        ErrorKind::InvalidChannel(_)
        | ErrorKind::InvalidChannelState(..)
        | ErrorKind::InvalidConnectionState(_)
        | ErrorKind::RuntimeShutdownError(_)
        | ErrorKind::MissingHeartbeatError
        | ErrorKind::FutureCompleted => LinkKind::Lost,
        // The enum is open; what is left are protocol faults that connecting again will not mend.
        _ => LinkKind::Protocol,
    }
}

fn protocol_kind(kind: &AMQPErrorKind, text: &str) -> LinkKind {
    match kind {
        AMQPErrorKind::Soft(AMQPSoftError::ACCESSREFUSED) => LinkKind::Refused,
        AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND) if text.contains("no exchange") => {
            LinkKind::ExchangeMissing
        }
        // "home node … of durable queue … is down or inaccessible": it exists and comes back (T36).
        AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND) if text.contains("down or inaccessible") => {
            LinkKind::Lost
        }
        AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND) => LinkKind::QueueMissing,
        // The broker's consumer timeout: the deliveries went back, subscribe again (T51).
        AMQPErrorKind::Soft(AMQPSoftError::PRECONDITIONFAILED) if text.contains("timed out") => {
            LinkKind::Lost
        }
        AMQPErrorKind::Soft(AMQPSoftError::PRECONDITIONFAILED) => LinkKind::Precondition,
        AMQPErrorKind::Hard(AMQPHardError::NOTALLOWED) if text.contains("vhost") => LinkKind::VhostMissing,
        AMQPErrorKind::Hard(AMQPHardError::INVALIDPATH) => LinkKind::VhostMissing,
        // Forced close and internal errors: the outcome is unknown, the next connection may be fine.
        AMQPErrorKind::Hard(
            AMQPHardError::CONNECTIONFORCED | AMQPHardError::INTERNALERROR | AMQPHardError::RESOURCEERROR,
        ) => LinkKind::Lost,
        AMQPErrorKind::Soft(_) | AMQPErrorKind::Hard(_) => LinkKind::Protocol,
    }
}

fn io_kind(error: &io::Error) -> LinkKind {
    match error.kind() {
        io::ErrorKind::ConnectionRefused
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable => LinkKind::Unreachable,
        _ => LinkKind::Lost,
    }
}
