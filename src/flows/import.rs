//! Reads a live exchange backwards, and plans with the result. Changes nothing.

use crate::{
    domain::{
        diff::diff,
        import::{Draft, Obstacle, infer, leftovers},
        topology::Topology,
    },
    ports::{inventory::Inventory, link::LinkError, topology::TopologyBroker},
};

/// Why there is nothing to write.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The broker can't be looked at.
    #[error(transparent)]
    Broker(#[from] LinkError),
    /// There is no such exchange.
    #[error("there is no exchange {0:?} in this vhost")]
    Missing(String),
    /// Not everything can be expressed.
    #[error("{} things of exchange {exchange:?} can't be expressed", .obstacles.len())]
    Inexpressible {
        /// The exchange.
        exchange: String,
        /// Every reason.
        obstacles: Vec<Obstacle>,
    },
}

/// A draft, and the broker that it was made from as it names itself.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The settings.
    pub draft: Draft,
    /// Product and version, when told.
    pub broker_version: Option<String>,
}

/// What a file has to say to describe `exchange`.
///
/// # Errors
/// See [`ImportError`].
pub async fn import(inventory: &dyn Inventory, exchange: &str) -> Result<Imported, ImportError> {
    let survey = inventory.survey(exchange).await?;
    if survey.details.is_none() {
        return Err(ImportError::Missing(exchange.to_owned()));
    }
    match infer(&survey) {
        Ok(draft) => Ok(Imported { draft, broker_version: survey.broker_version }),
        Err(obstacles) => Err(ImportError::Inexpressible { exchange: exchange.to_owned(), obstacles }),
    }
}

/// Plans with the file that was written: nothing may be left to do. Stores are not looked at; an imported file
/// needs none.
///
/// # Errors
/// The broker can't be looked at, or something is left.
pub async fn verify(broker: &dyn TopologyBroker, topology: &Topology) -> Result<(), ImportError> {
    let observed = broker.observe(topology).await?;
    let obstacles = leftovers(&diff(topology, &observed, &[]));
    if obstacles.is_empty() {
        return Ok(());
    }
    Err(ImportError::Inexpressible { exchange: topology.exchange.name.as_str().to_owned(), obstacles })
}
