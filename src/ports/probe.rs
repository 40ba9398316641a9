//! Sending an empty message through the exchange and seeing it arrive.

use std::time::Duration;

use async_trait::async_trait;

use super::link::LinkError;

/// What became of a probe on its way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Some queue took it.
    Routed,
    /// No queue was bound.
    Returned,
    /// A queue refused it.
    Nacked,
}

/// What came out of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The probe; it is out of the queue now.
    Probe,
    /// A real message came first; it stays in the queue.
    Message,
    /// Nothing, within the given patience.
    Nothing,
}

/// An open ear on one queue.
#[async_trait]
pub trait ProbeListener: Send {
    /// Waits for the probe `id` and takes it out.
    async fn hear(&mut self, id: &str, patience: Duration) -> Result<Heard, LinkError>;

    /// Closes the channel and waits for the broker's answer; what is unacked returns in order.
    async fn close(self: Box<Self>) -> Result<(), LinkError>;
}

/// A broker that takes probes.
#[async_trait]
pub trait ProbeBroker: Send + Sync {
    /// Subscribes to `queue`, which nobody else consumes.
    ///
    /// After an error: nothing is subscribed. `Refused`: this user may not consume.
    async fn listen(&self, queue: &str) -> Result<Box<dyn ProbeListener>, LinkError>;

    /// Publishes a probe, persistent and mandatory, and waits for the broker's word on it.
    ///
    /// `Refused`: this user may not publish.
    async fn send(&self, exchange: &str, routing_key: &str, id: &str) -> Result<Sent, LinkError>;
}
