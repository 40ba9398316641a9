//! The only layer that prints, reads the environment or exits.

pub mod args;
pub mod exit;
pub mod failure;
pub mod input;
pub mod output;
pub mod progress;
pub mod shards;
pub mod signal;
pub mod view;
