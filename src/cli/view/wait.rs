//! How waiting ended.

use serde::Serialize;

#[derive(Serialize)]
struct WaitJson<'a> {
    reached: bool,
    missing: &'a [String],
}

/// As JSON.
#[must_use]
pub fn json(reached: bool, missing: &[String]) -> String {
    super::json(&WaitJson { reached, missing })
}
