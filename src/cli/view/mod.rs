//! Reports to text or JSON: pure functions.
//!
//! JSON has its own structs here, so that renaming a field of the domain never changes what scripts
//! read. Fields are only ever added.

pub mod check;
pub mod consume;
pub mod destroy;
pub mod doctor;
pub mod explain;
pub mod failure;
pub mod import;
pub mod init;
pub mod permissions;
pub mod plan;
pub mod probe;
pub mod publish;
pub mod route;
pub mod status;
pub mod style;
pub mod wait;

use std::time::Duration;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets::NOTHING};
use serde::Serialize;

/// One JSON document with a newline at its end.
///
/// The structs of this module hold nothing that JSON can't say; should one ever, the document says so
/// itself instead of being silently empty.
#[must_use]
pub fn json(value: &impl Serialize) -> String {
    let mut out = serde_json::to_string_pretty(value).unwrap_or_else(|error| {
        format!("{{\"error\": \"internal: {}\"}}", error.to_string().replace(['"', '\\'], "'"))
    });
    out.push('\n');
    out
}

/// A table without lines; columns of numbers are set to the right.
fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled).set_header(header);
    for row in &rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        let number =
            |text: &String| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let numbers = !rows.is_empty()
            && header.get(index) != Some(&"hash")
            && rows.iter().filter_map(|row| row.get(index)).all(number);
        if numbers && index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
        column.set_padding((0, 2));
    }
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A number with thin groups of three digits.
fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Seconds with milliseconds.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}
