//! The shards of a consumer, for display.

use rusqlite::{Connection, named_params};

use super::{error::store_error, migrate};
use crate::ports::store::{ShardState, StoreError};

/// Every shard that was ever owned in `generation` or has parked messages.
pub(super) fn shards(
    conn: &Connection,
    consumer: &str,
    generation: u32,
) -> Result<Vec<ShardState>, StoreError> {
    migrate::check_version(conn)?;
    let read = || -> rusqlite::Result<Vec<ShardState>> {
        let mut statement = conn.prepare(include_str!("queries/shards.sql"))?;
        let values = named_params! {":consumer": consumer, ":generation": generation};
        let rows = statement.query_map(values, |row| {
            let count = |index| row.get::<_, i64>(index).map(i64::unsigned_abs);
            Ok(ShardState {
                shard: row.get(0)?,
                epoch: count(1)?,
                owner: row.get(2)?,
                position: count(3)?,
                last_processed_at_ms: row.get(4)?,
                paused: row.get(5)?,
                parked_keys: count(6)?,
                parked_messages: count(7)?,
            })
        })?;
        rows.collect()
    };
    read().map_err(|e| store_error("can't list the shards", &e))
}
