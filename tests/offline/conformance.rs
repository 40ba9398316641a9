//! The suites over what needs no server.

mod memory;
mod sqlite;
