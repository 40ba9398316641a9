//! How a SQLite file is.

use std::path::Path;

use async_trait::async_trait;
use rusqlite::Connection;

use super::{SqliteStore, connection, error::store_error};
use crate::{
    domain::doctor::facts::{Seen, SqliteFacts, SqliteFile, StoreFacts},
    ports::{health::StoreHealth, store::StoreError},
};

/// Larger files take too long to be read whole.
const CHECK_LIMIT: i64 = 256 << 20;

/// File systems whose locks reach other machines badly or not at all, by the magic of `statfs`.
const NETWORKS: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x0102_1997, "9P"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
];

#[async_trait]
impl StoreHealth for SqliteStore {
    async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let (version, network) = (rusqlite::version().to_owned(), network(&self.path));
        let file = match connection::exists(&self.path)? {
            false => None,
            true => Some(self.with(connection::Open::Existing, |conn| read(conn)).await?),
        };
        Ok(StoreFacts::Sqlite(SqliteFacts { version, network, file }))
    }
}

fn read(conn: &Connection) -> Result<SqliteFile, StoreError> {
    let fail = |e: rusqlite::Error| store_error("can't read the store's settings", &e);
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(fail);
    let size = number("PRAGMA page_count")?.saturating_mul(number("PRAGMA page_size")?);
    let journal_mode = conn.query_row("PRAGMA journal_mode", [], |row| row.get(0)).map_err(fail)?;
    let writable = conn.execute_batch("BEGIN IMMEDIATE; ROLLBACK").map_err(|error| error.to_string());
    let integrity: Seen<String> = if size > CHECK_LIMIT {
        Err(format!("the file has {} MiB: run `PRAGMA quick_check` at a quiet hour", size >> 20))
    } else {
        conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|error| error.to_string())
    };
    Ok(SqliteFile { journal_mode, synchronous: number("PRAGMA synchronous")?, writable, integrity })
}

/// The network file system below `path`, or below the folder that it will be made in.
#[cfg(target_os = "linux")]
fn network(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = rustix::fs::statfs(path).or_else(|_| rustix::fs::statfs(folder)).ok()?;
    // Signed, and of another width, on some machines.
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "a bit pattern of 32 bits")]
    let magic = u64::from(found.f_type as u32);
    NETWORKS.iter().find(|(known, _)| *known == magic).map(|(_, name)| (*name).to_owned())
}

#[cfg(not(target_os = "linux"))]
fn network(_: &Path) -> Option<String> {
    None
}
