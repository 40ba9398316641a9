//! The outside world, one folder per technology. Nothing here decides anything.

#[cfg(feature = "amqp")]
pub mod amqp;
#[cfg(feature = "clock")]
pub mod clock;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "management")]
pub mod management;
pub mod memory;
#[cfg(feature = "net")]
pub mod net;
#[cfg(feature = "log")]
pub mod observe;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;
