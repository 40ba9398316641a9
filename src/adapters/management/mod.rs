//! RabbitMQ's management API: sees arguments, bindings and unacked counts, which AMQP does not tell.
//!
//! Tolerant to versions: every field but a name may be missing, null or odd. Statistics lag
//! by a few seconds; names, arguments and bindings do not. Nearly never needed: all but policies works
//! through AMQP alone.

pub mod answers;
mod client;
pub mod definitions;
mod health;
mod http;
mod inventory;
mod look;
mod steps;
pub mod target;

pub use client::ManagementClient;
