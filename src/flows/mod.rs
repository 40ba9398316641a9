//! The verbs: small loops over ports. Sequence only; decisions live in `domain`.
//!
//! - [`plan`]: the difference between file and world
//! - [`apply`]: an approved plan to the world
//! - [`doctor`]: what a topology depends on, and how it is
//! - [`probe`]: proof that messages get through to every shard
//! - [`status`]: what runs and what is wrong
//! - [`wait`]: until it is applied, or drained
//! - [`destroy`]: what the topology owns, away again
//! - [`import`]: a live exchange to the settings that describe it
//! - [`consume`]: deliveries to committed effects
//! - [`publish`]: lines to confirmed messages
//! - [`replay`]: example messages through a handler, without a broker

pub mod apply;
pub mod consume;
pub mod destroy;
pub mod doctor;
pub mod import;
mod parallel;
pub mod plan;
pub mod probe;
pub mod publish;
pub mod replay;
pub mod status;
pub mod wait;
pub mod world;
