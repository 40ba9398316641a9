//! One suite per port; every adapter of the port runs the same one. Included by path in both test binaries.

pub(crate) mod store;
