//! The difference between file and world, and the flows that look and apply, on simulated brokers and stores.

mod bindings;
mod destroy;
pub(crate) mod diff;
mod flows;
mod hazards;
mod limits;
mod orphans;
mod probe;
mod property;
mod prune;
mod refusals;
mod saved;
mod standing;
mod store;
mod stores;
mod world;
