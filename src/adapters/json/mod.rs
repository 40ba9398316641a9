//! JSON bodies: the configured fields of a line, in one pass, without touching the rest.
//!
//! Owns the finding of RFC 6901 pointers in a text and the reading of keys, ids, numbers and times. No
//! number goes through a float: a key keeps its digits at any length. Does not change a body and does
//! not judge the parts that no pointer leads to, except that the whole line must be JSON and not nested
//! too deep.
//!
//! Invariant: per-key-order (a pointer that occurs twice is refused, because two databases would take
//! different values for the key).

mod fields;
mod pointers;
mod text;
mod time;
mod walk;

pub use fields::JsonFields;
pub use pointers::{Broken, Found, Pointers, Slot};
pub use time::parse_rfc3339;
