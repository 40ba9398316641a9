//! What the two SQL stores share: the values bound to a handler's parameters.
//!
//! Values are made here once, so a handler sees the same on both engines. Nothing is ever spliced into SQL.

mod time;
mod values;

pub use time::rfc3339;
pub use values::{BindError, Value, batch, value};
