//! Tests that need nothing but the library and the binary.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod cli;
mod conformance;
mod doctor;
mod example;
mod fields;
mod golden;
mod import;
mod inequivalent;
mod lint;
mod management;
mod plan;
mod sim;
mod spec;
mod sql;
#[path = "../support/mod.rs"]
mod support;
mod tidy;
mod tls;

#[path = "../conformance/mod.rs"]
mod suite;
mod window;
