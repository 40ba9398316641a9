//! The traits that the flows need from the outside world, in neutral types.
//!
//! Each method states its answers in the same order: after success, after an error, called twice,
//! dropped half-way. No vendor's type appears here, and no method has a default that does IO.

pub mod clock;
pub mod fields;
pub mod health;
pub mod inventory;
pub mod link;
pub mod observer;
pub mod probe;
pub mod publisher;
pub mod store;
pub mod subscription;
pub mod topology;
