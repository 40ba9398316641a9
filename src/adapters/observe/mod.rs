//! Watching: log lines for people and machines.
//!
//! [`line`](mod@line) fixes names, order and quoting; [`log`] is the observer that writes such lines; [`bridge`]
//! brings the client libraries' own events into the same form.

pub mod bridge;
pub mod line;
pub mod log;
