//! The difference between file and world, and the flows that look and apply, on simulated brokers and stores.

mod diff;
mod flows;
mod property;
mod saved;
mod store;
mod stores;
mod world;
