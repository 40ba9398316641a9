//! Milliseconds since the Unix epoch as RFC 3339.

const DAY: i64 = 86_400_000;
/// 0001-01-01.
const FIRST: i64 = -62_135_596_800_000;
/// The last millisecond of 9999.
const LAST: i64 = 253_402_300_799_999;

/// `2026-11-30T12:00:00.123Z`; `None` outside the years 1 to 9999, which only a broken producer sends.
#[must_use]
pub fn rfc3339(ms: i64) -> Option<String> {
    if !(FIRST..=LAST).contains(&ms) {
        return None;
    }
    let (year, month, day) = civil(ms.div_euclid(DAY));
    let time = ms.rem_euclid(DAY);
    let (second, milli) = (time / 1000, time % 1000);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
}

/// Days since 1970-01-01 to a date of the Gregorian calendar, counted in eras of 400 years that begin
/// on 1 March.
const fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (year_of_era + era * 400 + if month <= 2 { 1 } else { 0 }, month, day)
}
