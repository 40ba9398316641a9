//! Where quotes and block comments end. Each function is given text that begins with the opening mark.

use super::lexer::{Kind, is_name_byte, run};

/// PostgreSQL nests block comments, SQLite ends them at the first `*/`.
pub(super) fn block_comment(rest: &str, nested: bool) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let (mut depth, mut i) = (0_usize, 0);
    while i + 1 < bytes.len() {
        match (bytes[i], bytes[i + 1]) {
            (b'/', b'*') if depth == 0 || nested => {
                depth += 1;
                i += 2;
            }
            (b'*', b'/') => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return (Kind::Comment, i);
                }
            }
            _ => i += 1,
        }
    }
    (Kind::Unterminated, bytes.len())
}

/// A quote that is doubled to be part of the text; in E'…' a backslash takes the next byte along.
pub(super) fn quoted(rest: &str, prefix: usize, quote: u8, escapes: bool) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let mut i = prefix + 1;
    while i < bytes.len() {
        if escapes && bytes[i] == b'\\' {
            i += 2;
        } else if bytes[i] == quote {
            if bytes.get(i + 1) != Some(&quote) {
                return (Kind::Quoted, i + 1);
            }
            i += 2;
        } else {
            i += 1;
        }
    }
    (Kind::Unterminated, bytes.len())
}

/// `$tag$…$tag$` or `$1` on PostgreSQL, a TCL-style `$name` on SQLite.
pub(super) fn dollar(rest: &str, postgres: bool) -> (Kind, usize) {
    let after = &rest[1..];
    if !postgres {
        return match run(after, is_name_byte) {
            0 => (Kind::Symbol, 1),
            name => (Kind::Foreign, 1 + name),
        };
    }
    let digits = run(after, |b| b.is_ascii_digit());
    if digits > 0 {
        return (Kind::Foreign, 1 + digits);
    }
    let tag = run(after, |b| is_name_byte(b) && b != b'$');
    if after.as_bytes().get(tag) != Some(&b'$') {
        return (Kind::Symbol, 1);
    }
    let (delimiter, body) = rest.split_at(tag + 2);
    match body.find(delimiter) {
        Some(end) => (Kind::Quoted, delimiter.len() * 2 + end),
        None => (Kind::Unterminated, rest.len()),
    }
}
