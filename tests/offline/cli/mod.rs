//! The command line as its users see it.

mod input;
mod log;
