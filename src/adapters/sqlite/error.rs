//! SQLite's result codes as kinds of failure.

use rusqlite::{Error, ffi};

use crate::ports::store::{StoreError, StoreKind};

/// What failed while `doing` something. The text has SQLite's message and extended code, never values.
pub(super) fn store_error(doing: &str, error: &Error) -> StoreError {
    StoreError::new(kind(error), format!("{doing}: {}", text(error)))
}

/// What the caller can do; by code, never by text.
pub(super) fn kind(error: &Error) -> StoreKind {
    match error.sqlite_error().map(|error| error.extended_code & 0xff) {
        Some(
            ffi::SQLITE_BUSY
            | ffi::SQLITE_LOCKED
            | ffi::SQLITE_INTERRUPT
            | ffi::SQLITE_IOERR
            | ffi::SQLITE_FULL
            | ffi::SQLITE_NOMEM,
        ) => StoreKind::Retryable,
        // The file itself: never a message's fault.
        Some(
            ffi::SQLITE_CANTOPEN
            | ffi::SQLITE_READONLY
            | ffi::SQLITE_PERM
            | ffi::SQLITE_CORRUPT
            | ffi::SQLITE_NOTADB
            | ffi::SQLITE_PROTOCOL,
        ) => StoreKind::Unreachable,
        _ => StoreKind::Failed,
    }
}

fn text(error: &Error) -> String {
    match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        Error::SqliteFailure(code, Some(message)) => format!("{message} (SQLite {})", code.extended_code),
        other => other.to_string(),
    }
}

/// Byte offset of the error within its statement, when SQLite says it.
pub(super) fn offset(error: &Error) -> Option<usize> {
    match error {
        Error::SqlInputError { offset, .. } => usize::try_from(*offset).ok(),
        _ => None,
    }
}

/// A transaction that this adapter finds in a state in which it must not be.
pub(super) fn misused(text: &str) -> StoreError {
    StoreError::new(StoreKind::Failed, text)
}
