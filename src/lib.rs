//! `topo`: per-key order, no loss and effects exactly once on RabbitMQ, with parallelism.
//!
//! The layers, innermost first; `tests/offline/tidy` checks who imports whom:
//!
//! - [`domain`]: pure values and decisions
//! - `spec`: topology.yaml and consumer.yaml to domain, every problem with its place
//! - [`ports`]: the traits that flows need from the outside world
//! - [`flows`]: the verbs: plan, apply, publish, consume, status
//! - [`adapters`]: one folder per technology
//! - `cli`: the only layer that prints, reads the environment or exits

pub mod adapters;
#[cfg(feature = "cli")]
pub mod cli;
pub mod domain;
pub mod flows;
pub mod ports;
#[cfg(feature = "spec")]
pub mod spec;
