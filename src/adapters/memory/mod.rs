//! A broker, a store and a clock in memory, with faults on demand: what simulations run the real flows against.
//!
//! Always compiled: it needs no broker, no database and no file. Faults follow from a seed, so a run can
//! be replayed.

pub mod broker;
pub mod chance;
pub mod clock;
mod publish;
pub mod store;
mod subscription;
