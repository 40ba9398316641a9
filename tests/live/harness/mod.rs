//! Starts real servers for the tests, watches them, and gets in the way of their connections.
//!
//! Every server is a child process of this test run with its own directory and ports on the loopback
//! address; a server that already runs on the machine is never used or touched. They end with the run,
//! however it ends. `TOPO_TEST_KEEP=1` keeps their directories.

pub(crate) mod child;
pub(crate) mod http;
pub(crate) mod installation;
pub(crate) mod pooler;
pub(crate) mod ports;
pub(crate) mod postgres;
pub(crate) mod proxy;
pub(crate) mod rabbitmq;
pub(crate) mod tap;
pub(crate) mod topo;
pub(crate) mod wait;
