//! topo's tables and the consumers' own.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params};

use super::error::{kind, offset, store_error};
use crate::{
    domain::{
        consumer::SqlFile,
        rule::ShardRule,
        sql::{self, Dialect},
    },
    ports::store::{StoreError, StoreKind},
};

/// Each takes the tables one version further. History: never edited after a release.
const MIGRATIONS: &[(u32, &str)] = &[(1, include_str!("migrations/0001_tables.sql"))];

/// The version that this program makes.
pub(super) const WANTED: u32 = match MIGRATIONS.last() {
    Some((version, _)) => *version,
    None => 0,
};

/// The version of the tables; `None`: no tables.
pub(super) fn version(conn: &Connection) -> Result<Option<u32>, StoreError> {
    let fail = |e: rusqlite::Error| store_error("can't read the schema version", &e);
    let tables: u32 =
        conn.query_row(include_str!("queries/has_version.sql"), [], |row| row.get(0)).map_err(fail)?;
    if tables == 0 {
        return Ok(None);
    }
    conn.query_row(include_str!("queries/version.sql"), [], |row| row.get(0)).map_err(fail)
}

/// Refuses tables that this program doesn't know.
pub(super) fn check_version(conn: &Connection) -> Result<(), StoreError> {
    match version(conn)? {
        Some(WANTED) => Ok(()),
        Some(newer) if newer > WANTED => Err(is_newer(newer)),
        Some(older) => Err(StoreError::new(
            StoreKind::SchemaMissing,
            format!("the store's tables have version {older}, this program needs {WANTED}"),
        )),
        None => Err(StoreError::new(StoreKind::SchemaMissing, "the store has no tables yet")),
    }
}

fn is_newer(version: u32) -> StoreError {
    StoreError::new(
        StoreKind::SchemaNewer,
        format!("the store's tables have version {version}, this program knows {WANTED}"),
    )
}

/// Creates or upgrades the tables under the file's write lock.
pub(super) fn migrate(conn: &mut Connection) -> Result<(), StoreError> {
    let fail = |e: rusqlite::Error| store_error("can't create the store's tables", &e);
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    transaction.execute_batch(include_str!("migrations/schema_version.sql")).map_err(fail)?;
    let current = version(&transaction)?.unwrap_or(0);
    if current > WANTED {
        return Err(is_newer(current));
    }
    for (version, script) in MIGRATIONS.iter().filter(|(version, _)| *version > current) {
        transaction.execute_batch(script).map_err(fail)?;
        transaction
            .execute(include_str!("queries/record_version.sql"), named_params! {":version": version})
            .map_err(fail)?;
    }
    transaction.commit().map_err(fail)
}

/// Runs a consumer's script and records its digest, in one transaction.
pub(super) fn run_schema(conn: &mut Connection, consumer: &str, script: &SqlFile) -> Result<(), StoreError> {
    check_version(conn)?;
    let file = script.path.display();
    let statements = sql::schema(&script.text, Dialect::Sqlite).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(|problem| format!("{file}:{problem}")).collect();
        StoreError::new(StoreKind::Handler, lines.join("\n"))
    })?;
    let fail = |e: rusqlite::Error| store_error("can't record the schema", &e);
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    for statement in &statements.statements {
        transaction.execute_batch(statement.text()).map_err(|error| {
            let place = statement.place_at(offset(&error).unwrap_or(0));
            let mut failure = store_error(&format!("{file}:{place}"), &error);
            if kind(&error) == StoreKind::Failed {
                failure.kind = StoreKind::Handler;
            }
            failure
        })?;
    }
    let values = named_params! {":consumer": consumer, ":digest": script.digest()};
    transaction.execute(include_str!("queries/run_schema.sql"), values).map_err(fail)?;
    transaction.commit().map_err(fail)
}

/// The digest recorded by the last [`run_schema`].
pub(super) fn schema_digest(conn: &Connection, consumer: &str) -> Result<Option<String>, StoreError> {
    check_version(conn)?;
    conn.query_row(include_str!("queries/schema_digest.sql"), named_params! {":consumer": consumer}, |row| {
        row.get(0)
    })
    .optional()
    .map_err(|e| store_error("can't read the schema's digest", &e))
}

/// The recorded shard rule.
pub(super) fn shard_rule(
    conn: &Connection,
    topology: &str,
    generation: u32,
) -> Result<Option<ShardRule>, StoreError> {
    check_version(conn)?;
    let values = named_params! {":topology": topology, ":generation": generation};
    conn.query_row(include_str!("queries/shard_rule.sql"), values, |row| {
        Ok(ShardRule { count: row.get(0)?, hash: row.get(1)?, key: row.get(2)? })
    })
    .optional()
    .map_err(|e| store_error("can't read the shard rule", &e))
}

/// Records a shard rule, unless there is one.
pub(super) fn record_shard_rule(
    conn: &Connection,
    topology: &str,
    generation: u32,
    rule: &ShardRule,
) -> Result<(), StoreError> {
    check_version(conn)?;
    let values = named_params! {
        ":topology": topology, ":generation": generation,
        ":count": rule.count, ":hash": rule.hash, ":key": rule.key,
    };
    conn.execute(include_str!("queries/record_shard_rule.sql"), values)
        .map_err(|e| store_error("can't record the shard rule", &e))?;
    Ok(())
}
