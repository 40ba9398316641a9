//! Opening the file.

use std::{fs, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags};

use super::error::store_error;
use crate::ports::store::{StoreError, StoreKind};

/// Whether the file may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// It must be there.
    Existing,
    /// It is made when missing.
    Create,
}

/// Whether the file is there.
pub(super) fn exists(path: &Path) -> Result<bool, StoreError> {
    fs::exists(path).map_err(|error| {
        StoreError::because(StoreKind::Unreachable, format!("can't look at {}", path.display()), error)
    })
}

/// Opens a connection whose waits for the file's lock end after `timeout`.
pub(super) fn open(path: &Path, open: Open, timeout: Duration) -> Result<Connection, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    match open {
        Open::Create => flags |= OpenFlags::SQLITE_OPEN_CREATE,
        Open::Existing if !exists(path)? => {
            return Err(StoreError::new(
                StoreKind::SchemaMissing,
                format!("the store {} does not exist yet", path.display()),
            ));
        }
        Open::Existing => {}
    }
    let doing = || format!("can't open the store {}", path.display());
    let conn = Connection::open_with_flags(path, flags).map_err(|e| store_error(&doing(), &e))?;
    conn.busy_timeout(timeout).map_err(|e| store_error(&doing(), &e))?;
    // In WAL mode FULL syncs the log at every commit; NORMAL would lose acked effects in a power cut.
    conn.execute_batch("PRAGMA synchronous = FULL").map_err(|e| store_error(&doing(), &e))?;
    if open == Open::Create {
        // Kept in the file. A file system without shared memory stays with the rollback journal: slower, as safe.
        conn.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0))
            .map_err(|e| store_error(&doing(), &e))?;
    }
    Ok(conn)
}
