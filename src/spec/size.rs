//! Sizes in bytes as text: `64MiB`, `1GiB`, `500kB`, or a plain number.
//!
//! Exact in both directions, and never rounded or saturated: a size that does not fit is refused.

/// Units with their length in bytes; the binary ones first and largest first, as the printer tries them.
const UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
    ("B", 1),
];

/// Why a text is not a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No number at the beginning.
    #[error("a size is a whole number of bytes or with a unit, such as 64MiB or 1GiB")]
    Form,
    /// An unknown unit; `K`, `M` and `G` alone mean different things to different people.
    #[error("a size's unit is one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB")]
    Unit,
    /// A fraction.
    #[error("write fractions in the smaller unit, such as 1536MiB")]
    Fraction,
    /// Does not fit into 64 bits.
    #[error("the size is too large")]
    Large,
}

/// Reads a size.
///
/// # Errors
/// See [`Error`].
pub fn parse(text: &str) -> Result<u64, Error> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(Error::Form);
    }
    if unit.starts_with('.') {
        return Err(Error::Fraction);
    }
    let number: u64 = number.parse().map_err(|_| Error::Large)?;
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Ok(number);
    }
    let (_, length) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).ok_or(Error::Unit)?;
    number.checked_mul(*length).ok_or(Error::Large)
}

/// Writes a size with the largest binary unit that divides it, so that [`parse`] reads it back exactly.
#[must_use]
pub fn print(bytes: u64) -> String {
    match UNITS[..4].iter().find(|(_, length)| bytes >= *length && bytes.is_multiple_of(*length)) {
        Some((name, length)) => format!("{}{name}", bytes / length),
        None => bytes.to_string(),
    }
}
