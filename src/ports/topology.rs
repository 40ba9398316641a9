//! Looking at a broker's objects and changing them.
//!
//! Invariant: plan-is-what-runs.

use async_trait::async_trait;

use super::link::LinkError;
use crate::domain::{
    observed::{Observed, QueueStats},
    plan::Step,
    topology::Topology,
};

/// A broker whose topology can be seen and changed.
#[async_trait]
pub trait TopologyBroker: Send + Sync {
    /// Connects, when that is needed, and makes sure that the broker answers.
    async fn reach(&self) -> Result<(), LinkError>;

    /// Reports what exists of the objects that `topology` names, and what is bound to them.
    async fn observe(&self, topology: &Topology) -> Result<Observed, LinkError>;

    /// Runs one step. Twice: the second changes nothing.
    ///
    /// After an error: unknown; observe again.
    async fn execute(&self, step: &Step) -> Result<(), LinkError>;

    /// Message and consumer counts of queues, in the order given; `None` for a queue that does not exist.
    async fn stats(&self, queues: &[String]) -> Result<Vec<Option<QueueStats>>, LinkError>;
}
