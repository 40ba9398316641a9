//! The verbs: small loops over ports. Sequence only; decisions live in `domain`.
//!
//! - [`publish`]: lines to confirmed messages

pub mod publish;
