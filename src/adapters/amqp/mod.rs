//! RabbitMQ over AMQP 0-9-1: the only place that names the client library.
//!
//! The client's automatic recovery stays off (T87): a broken connection is thrown away whole and the
//! flows decide what is sent again.

mod arguments;
mod confirms;
pub mod connection;
mod drain;
pub mod error;
mod existing;
pub mod inequivalent;
mod probe;
mod properties;
pub mod publish;
mod steps;
pub mod subscription;
pub mod topology;
