//! RFC 3339 times with any offset to milliseconds since the Unix epoch.

/// Reads `2026-11-30T19:24:10.5+08:00`; fractions beyond milliseconds are cut, a leap second counts as
/// the second after it. Also accepts a lower-case `t` and `z`, and a blank in place of the `T`.
///
/// `None` when the text is no such time.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let shape = [(4, b"-".as_slice()), (7, b"-"), (10, b"Tt "), (13, b":"), (16, b":")];
    if !shape.iter().all(|(at, allowed)| bytes.get(*at).is_some_and(|byte| allowed.contains(byte))) {
        return None;
    }
    let (year, month, day) = (number(bytes, 0, 4)?, number(bytes, 5, 2)?, number(bytes, 8, 2)?);
    let (hour, minute, second) = (number(bytes, 11, 2)?, number(bytes, 14, 2)?, number(bytes, 17, 2)?);
    let in_range = (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let (millis, rest) = fraction(bytes.get(19..)?)?;
    let offset = offset(rest)?;
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset;
    Some((minutes * 60 + second) * 1000 + millis)
}

/// `length` digits at `at`.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<i64> {
    bytes
        .get(at..at + length)?
        .iter()
        .try_fold(0_i64, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
}

/// Milliseconds of `.digits`, and what follows.
fn fraction(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let Some((b'.', digits)) = bytes.split_first() else { return Some((0, bytes)) };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 {
        return None;
    }
    let kept = length.min(3);
    let millis = number(digits, 0, kept)? * [100, 10, 1].get(kept - 1)?;
    Some((millis, &digits[length..]))
}

/// Minutes east of Greenwich.
fn offset(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (number(bytes, 1, 2)?, number(bytes, 4, 2)?);
            let east = hours * 60 + minutes;
            (hours < 24 && minutes < 60).then_some(if *sign == b'-' { -east } else { east })
        }
        _ => None,
    }
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar, by counting years from March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let since_march = (month + 9) % 12;
    let day_of_year = (153 * since_march + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}
