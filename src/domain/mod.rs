//! The pure core: names, keys, hashes, routes, topologies, plans, messages and the decisions about them.
//!
//! Nothing here does IO, reads a clock, is asynchronous or knows a vendor's type; every decision of the
//! tool can therefore be tested without a broker. Serialized shapes live in `spec`, the adapters and
//! `cli::view`, so renaming a field here never changes bytes on disk or on the wire.
//!
//! Invariants decided here: per-key-order, confirm-or-report, plan-is-what-runs.

mod bindings;
pub mod code;
pub mod consumer;
pub mod desired;
pub mod diff;
pub mod doctor;
pub mod envelope;
mod fit;
pub mod hash;
mod hazards;
pub mod import;
pub mod key;
mod limits;
pub mod lint;
pub mod message;
pub mod name;
pub mod observed;
pub mod orphans;
pub mod pattern;
pub mod permissions;
pub mod plan;
pub mod policy;
pub mod probe;
pub mod prune;
mod refusals;
pub mod report;
pub mod retry;
pub mod route;
pub mod rule;
pub mod saved;
pub mod secret;
pub mod sql;
pub mod status;
pub mod stores;
pub mod teardown;
pub mod template;
pub mod topology;
pub mod version;
pub mod window;
