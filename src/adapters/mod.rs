//! The outside world, one folder per technology. Nothing here decides anything.

#[cfg(feature = "amqp")]
pub mod amqp;
#[cfg(feature = "net")]
pub mod net;
