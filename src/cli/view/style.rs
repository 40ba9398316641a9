//! Colour by meaning. The text is the same without it.

use std::fmt::Display;

use anstyle::{AnsiColor, Effects, Style};

/// Something went wrong, or is dangerous.
pub const BAD: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// Something to look at.
pub const CARE: Style = AnsiColor::Yellow.on_default();
/// Something was made or is well.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// A name or number that stands out.
pub const STRONG: Style = Style::new().effects(Effects::BOLD);
/// Details that step back.
pub const FAINT: Style = Style::new().effects(Effects::DIMMED);

/// `text` in `style`.
#[must_use]
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}
