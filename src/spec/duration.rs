//! Durations as text: `30s`, `1h30m`, `14d`, and ranges such as `100ms..10s`.
//!
//! Exact in both directions: what [`print()`] writes, [`parse`] reads as the same duration. Months and
//! years are refused because their length varies.

use std::time::Duration;

const SECOND: u128 = 1_000_000_000;

/// Units from the longest to the shortest, in nanoseconds; the printer uses the first name of a length.
const UNITS: [(&str, u128); 10] = [
    ("w", 604_800 * SECOND),
    ("d", 86_400 * SECOND),
    ("h", 3600 * SECOND),
    ("m", 60 * SECOND),
    ("min", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1000),
    ("µs", 1000),
    ("ns", 1),
];

/// Why a text is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Neither number nor unit where one is needed.
    #[error("a duration is a whole number with a unit, such as 500ms, 30s, 5m, 2h or 14d")]
    Form,
    /// A number without its unit.
    #[error("a duration needs a unit: ms, s, m, h, d or w")]
    Unit,
    /// Months and years have no fixed length.
    #[error("months and years have no fixed length; write days, such as 30d")]
    Calendar,
    /// A fraction.
    #[error("write fractions in the smaller unit, such as 1500ms")]
    Fraction,
    /// Beyond what fits.
    #[error("the duration is too long")]
    Long,
    /// `a..b` with a above b.
    #[error("the range must begin with its smaller end")]
    Order,
}

/// Reads a duration made of whole numbers with units.
///
/// # Errors
/// See [`Error`].
pub fn parse(text: &str) -> Result<Duration, Error> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(Error::Form);
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let tail = tail.trim_start();
        if tail.starts_with('.') {
            return Err(Error::Fraction);
        }
        let end = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let (unit, after) = tail.split_at(end);
        let length = match unit {
            _ if number.is_empty() => return Err(Error::Form),
            "" => return Err(Error::Unit),
            "M" | "mo" | "month" | "months" | "y" | "year" | "years" => return Err(Error::Calendar),
            unit => UNITS.iter().find(|(name, _)| *name == unit).ok_or(Error::Unit)?.1,
        };
        let number: u64 = number.parse().map_err(|_| Error::Long)?;
        // u64::MAX weeks are below 2^128 nanoseconds, so only the sum can overflow.
        total = total.checked_add(u128::from(number) * length).ok_or(Error::Long)?;
        rest = after.trim_start();
    }
    let seconds = u64::try_from(total / SECOND).map_err(|_| Error::Long)?;
    let nanos = u32::try_from(total % SECOND).map_err(|_| Error::Long)?;
    Ok(Duration::new(seconds, nanos))
}

/// Writes a duration so that [`parse`] reads it back exactly: `90s` is `1m30s`, zero is `0s`.
#[must_use]
pub fn print(duration: Duration) -> String {
    let mut rest = duration.as_nanos();
    let mut out = String::new();
    for (name, length) in UNITS {
        // Weeks are read, but 14d is what people write.
        if name != "w" && rest >= length {
            out.push_str(&format!("{}{name}", rest / length));
            rest %= length;
        }
    }
    if out.is_empty() { "0s".to_owned() } else { out }
}

/// Reads `min..max`, or one duration that is both.
///
/// # Errors
/// See [`Error`].
pub fn parse_range(text: &str) -> Result<(Duration, Duration), Error> {
    let (min, max) = match text.split_once("..") {
        Some((min, max)) => (parse(min)?, parse(max)?),
        None => (parse(text)?, parse(text)?),
    };
    if min > max { Err(Error::Order) } else { Ok((min, max)) }
}

/// Writes a range so that [`parse_range`] reads it back.
#[must_use]
pub fn print_range(min: Duration, max: Duration) -> String {
    format!("{}..{}", print(min), print(max))
}
