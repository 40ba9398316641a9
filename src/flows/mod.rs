//! The verbs: small loops over ports. Sequence only; decisions live in `domain`.
//!
//! - [`consume`]: deliveries to committed effects
//! - [`publish`]: lines to confirmed messages

pub mod consume;
pub mod publish;
