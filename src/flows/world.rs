//! What plan, apply and status look at: one topology, its broker and its stores.

use crate::{
    domain::topology::Topology,
    ports::{
        link::LinkError,
        store::{Store, StoreError},
        topology::TopologyBroker,
    },
};

/// A topology and the ports through which it is seen and changed.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The desired state.
    pub topology: &'a Topology,
    /// The broker through AMQP: sees existence, executes.
    pub amqp: &'a dyn TopologyBroker,
    /// The broker through the management API: sees arguments, bindings and unacked counts; `None`: not
    /// to be asked.
    pub management: Option<&'a dyn TopologyBroker>,
    /// The stores, in the order of [`crate::domain::stores::stores`].
    pub stores: &'a [&'a dyn Store],
}

impl std::fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("topology", &self.topology.name).finish_non_exhaustive()
    }
}

/// Why the world can't be seen.
#[derive(Debug, thiserror::Error)]
pub enum LookError {
    /// The broker.
    #[error(transparent)]
    Broker(#[from] LinkError),
    /// One of the stores.
    #[error("can't look at store {label}")]
    Store {
        /// Its name in plans.
        label: String,
        /// Why.
        #[source]
        source: StoreError,
    },
}
