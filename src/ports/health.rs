//! Asking a broker and a store how they are. Nothing here changes anything.

use async_trait::async_trait;

use super::{link::LinkError, store::StoreError};
use crate::domain::{
    doctor::facts::{BrokerFacts, StoreFacts},
    topology::Topology,
};

/// A broker that tells about itself.
#[async_trait]
pub trait BrokerHealth: Send + Sync {
    /// What can be seen. A part that this user may not see says so in its place.
    ///
    /// # Errors
    /// Nobody answers, or not even the lists of the vhost may be seen.
    async fn facts(&self, topology: &Topology) -> Result<BrokerFacts, LinkError>;
}

/// A store that tells about itself.
#[async_trait]
pub trait StoreHealth: Send + Sync {
    /// What can be seen.
    ///
    /// # Errors
    /// The store can't be reached, or refused the login.
    async fn facts(&self) -> Result<StoreFacts, StoreError>;
}
