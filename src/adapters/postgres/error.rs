//! SQLSTATEs as kinds of failure, and texts without values.

use std::error::Error as _;

use tokio_postgres::{
    Error,
    error::{DbError, ErrorPosition, SqlState},
};

use crate::ports::store::{StoreError, StoreKind};

/// What failed while `doing` something.
///
/// The server's error is put into the text and not kept as a source: printed whole it would show
/// DETAIL, which quotes rows.
pub(super) fn store_error(doing: &str, error: Error) -> StoreError {
    match error.as_db_error() {
        Some(db) => StoreError::new(kind(db.code()), format!("{doing}: {}", describe(db))),
        None if error.is_closed() => {
            StoreError::new(StoreKind::Unreachable, format!("{doing}: the connection to the store is closed"))
        }
        None => StoreError::because(kind_without_code(&error), doing, error),
    }
}

/// The same for a connection that could not be made to `shown`.
pub(super) fn connect_error(shown: &str, error: Error) -> StoreError {
    let doing = format!("can't connect to {shown}");
    let Some(db) = error.as_db_error() else {
        // A certificate that is not trusted will not be trusted a second later.
        let tls = error.source().is_some_and(is_tls);
        let kind = if tls { StoreKind::Refused } else { kind_without_code(&error) };
        return StoreError::because(kind, doing, error);
    };
    let code = db.code();
    let refused = code.code().starts_with("28")
        || [SqlState::INVALID_CATALOG_NAME, SqlState::INSUFFICIENT_PRIVILEGE].contains(code);
    let kind = match code.code() {
        _ if refused => StoreKind::Refused,
        // Closed by its operator (ALLOW_CONNECTIONS false): opened again when the work on it is done.
        "55000" => StoreKind::Unreachable,
        _ => kind(code),
    };
    StoreError::new(kind, format!("{doing}: {}", describe(db)))
}

/// Position of the error in the text that was sent, in characters from 1.
pub(super) fn position(error: &Error) -> Option<usize> {
    match error.as_db_error()?.position()? {
        ErrorPosition::Original(position) => usize::try_from(*position).ok(),
        ErrorPosition::Internal { .. } => None,
    }
}

/// The retryable list is T115's.
pub(super) fn kind(code: &SqlState) -> StoreKind {
    let code = code.code();
    match code {
        // Serialization failure, deadlock, lock not available, query canceled (our own timeout).
        "40001" | "40P01" | "55P03" | "57014" => StoreKind::Retryable,
        // Shut down, crashed, starting up, dropped, idle for too long, read-only after a fail-over (T126).
        "57P01" | "57P02" | "57P03" | "57P04" | "57P05" | "25P03" | "25P04" | "25006" => {
            StoreKind::Unreachable
        }
        "3F000" => StoreKind::SchemaMissing,
        // A missing grant is nobody's message's fault.
        "42501" => StoreKind::Refused,
        _ => match code.get(..2) {
            Some("08") => StoreKind::Unreachable,
            // Out of disk, memory or connections; errors of the system below.
            Some("53" | "58") => StoreKind::Retryable,
            Some("28") => StoreKind::Refused,
            _ => StoreKind::Failed,
        },
    }
}

fn kind_without_code(error: &Error) -> StoreKind {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<std::io::Error>() {
            return StoreKind::Unreachable;
        }
        cause = inner.source();
    }
    // What is left when connecting: a timeout, authentication that this client can't do, a bad parameter.
    match error.to_string() {
        text if text.contains("timeout") || text.contains("connecting") => StoreKind::Unreachable,
        text if text.contains("authentication") || text.contains("configuration") => StoreKind::Refused,
        _ => StoreKind::Failed,
    }
}

fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    inner.is_some_and(|inner| inner.is::<rustls::Error>())
}

/// Message and SQLSTATE, without values.
fn describe(error: &DbError) -> String {
    let code = error.code().code();
    let mut text = error.message().to_owned();
    // Data exceptions quote the offending value; elsewhere quotes are names of tables and columns.
    if code.starts_with("22")
        && let (Some(first), Some(last)) = (text.find('"'), text.rfind('"'))
        && first < last
    {
        text.replace_range(first + 1..last, "…");
    }
    format!("{text} (SQLSTATE {code})")
}
