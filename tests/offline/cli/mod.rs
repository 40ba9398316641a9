//! The command line as its users see it.

mod check;
mod definitions;
mod failures;
mod input;
mod log;
mod permissions;
mod results;
mod run;
mod secrets;
mod usage;
mod views;
