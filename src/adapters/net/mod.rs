//! What the adapters that speak over a network share.

pub mod tls;
