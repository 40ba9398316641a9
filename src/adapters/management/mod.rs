//! RabbitMQ's management API: sees arguments, bindings and unacked counts, which AMQP does not tell.
//!
//! Read-only, and tolerant to versions: every field but a name may be missing, null or odd. Statistics lag
//! by a few seconds; names, arguments and bindings do not. Never needed: everything that topo does works
//! through AMQP alone.

pub mod answers;
mod client;
mod http;
pub mod target;

pub use client::ManagementClient;
