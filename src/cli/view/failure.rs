//! A failure on standard error, in four parts: what, why, safe to run again, next command.

use std::fmt::Write as _;

use super::style::{BAD, STRONG, paint};
use crate::cli::failure::Failure;

/// The failure as text.
#[must_use]
pub fn text(failure: &Failure) -> String {
    let mut out = format!("{}: {}\n", paint(BAD, format!("error[{}]", failure.code)), failure.text);
    for detail in &failure.details {
        push(&mut out, detail);
    }
    for cause in &failure.causes {
        push(&mut out, &format!("caused by: {cause}"));
    }
    let again = if failure.safe_again { "yes" } else { "no" };
    push(&mut out, &format!("safe to run again: {again}"));
    let help = failure.help.as_deref().unwrap_or_else(|| failure.code.help());
    push(&mut out, &format!("{} {help}", paint(STRONG, "help:")));
    out
}

fn push(out: &mut String, line: &str) {
    let written = writeln!(out, "  {line}");
    debug_assert!(written.is_ok());
}
