//! Taking deliveries of one queue, in order, with manual acknowledgement.
//!
//! Invariants: ack-after-commit (an ack needs a [`Committed`]), drain-loses-nothing (the one way out is
//! [`Subscription::close`]).

use async_trait::async_trait;

use super::{link::LinkError, store::Committed};
use crate::domain::envelope::Incoming;

/// One delivery. Its tag means something on its own subscription only (T73).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Delivery tag.
    pub tag: u64,
    /// When it was read, by [`super::clock::Clock::elapsed`] of the adapter.
    pub received_at: std::time::Duration,
    /// The message.
    pub incoming: Incoming,
}

/// An open subscription: one channel, one queue, one consumer tag.
#[async_trait]
pub trait Subscription: Send {
    /// Waits for the next delivery; `None` when the subscription has ended (see [`Self::ended`]).
    ///
    /// Dropped: nothing is lost, call again.
    async fn next(&mut self) -> Option<Delivery>;

    /// A delivery that has already arrived.
    fn try_next(&mut self) -> Option<Delivery>;

    /// Whether a delivery has arrived that was not taken yet.
    fn has_arrived(&self) -> bool;

    /// Whether the channel is open and the broker has not cancelled. Checked before work is started:
    /// deliveries of an ended subscription may already be somebody else's (T50, T77).
    fn live(&self) -> bool;

    /// Why it ended; `None` while it is live.
    fn ended(&self) -> Option<LinkError>;

    /// Acknowledges every delivery up to and including `tag`. Needs proof of the commit.
    ///
    /// After success: written to the broker; applied once the awaited close returns.
    /// After an error: the channel is gone; the broker delivers again and the claim absorbs it.
    /// Twice: a protocol error; never call it twice for one tag (T75).
    async fn ack_through(&mut self, tag: u64, proof: &Committed) -> Result<(), LinkError>;

    /// Messages ready in the queue, asked on this very channel: deliveries sent before the answer were
    /// written before the answer of a second call.
    ///
    /// `Refused`: this user may not count; the subscription goes on.
    async fn ready(&mut self) -> Result<u64, LinkError>;

    /// Closes the channel and waits for the broker's answer, at most a few seconds, and only then drops the
    /// consumer. Unacked deliveries return in order. Never `basic.cancel` (T46).
    async fn close(self: Box<Self>) -> Result<(), LinkError>;
}

/// Opens subscriptions.
#[async_trait]
pub trait ConsumeBroker: Send + Sync {
    /// Subscribes to `queue` with manual ack. `tag` is unique to the process and attempt.
    ///
    /// After an error: nothing is subscribed.
    async fn subscribe(
        &self,
        queue: &str,
        tag: &str,
        prefetch: u16,
    ) -> Result<Box<dyn Subscription>, LinkError>;

    /// Closes the connection, after every subscription was closed.
    async fn close(&self);
}
