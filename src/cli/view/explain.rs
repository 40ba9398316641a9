//! An error code: what it means and what to do.

use serde::Serialize;

use super::style::{STRONG, paint};
use crate::domain::code::Code;

/// The code as text.
#[must_use]
pub fn text(code: Code) -> String {
    format!("{}: {}\n\n{}\n", paint(STRONG, code), code.title(), code.help())
}

/// The code as JSON.
#[must_use]
pub fn json(code: Code) -> String {
    #[derive(Serialize)]
    struct Explained {
        code: String,
        title: &'static str,
        help: &'static str,
    }
    super::json(&Explained { code: code.to_string(), title: code.title(), help: code.help() })
}
