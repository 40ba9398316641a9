//! Tests against a real RabbitMQ and a real PostgreSQL that this run starts for itself.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod apply;
mod cast;
mod cli;
mod conformance;
mod consume;
mod destroy;
mod destroy_refused;
mod doctor;
mod doctor_store;
mod drift;
mod harness;
mod harness_works;
mod import;
mod import_refused;
mod limits;
mod lint;
mod lint_apply;
mod outage;
mod permissions;
mod postgres;
mod probe;
mod prune;
mod publish;
mod refused;
mod restart;
mod saved;
mod scale;
mod status;
mod story;
#[path = "../conformance/mod.rs"]
mod suite;
#[path = "../support/mod.rs"]
mod support;
mod unusable;
mod waiting;
mod ways;
