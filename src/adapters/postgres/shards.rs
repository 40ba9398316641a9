//! The shards of a consumer, for display.

use tokio_postgres::{Client, Row};

use super::{error::store_error, schema::Schema, tables};
use crate::ports::store::{ShardState, StoreError};

/// Every shard that was ever owned in `generation` or has parked messages.
pub(super) async fn shards(
    client: &Client,
    schema: &Schema,
    consumer: &str,
    generation: u32,
) -> Result<Vec<ShardState>, StoreError> {
    tables::check_version(client, schema).await?;
    let rows = client
        .query(&schema.sql(include_str!("queries/shards.sql")), &[&consumer, &generation.cast_signed()])
        .await
        .map_err(|e| store_error("can't list the shards", e))?;
    Ok(rows.iter().map(state).collect())
}

fn state(row: &Row) -> ShardState {
    let count = |index| row.get::<_, i64>(index).unsigned_abs();
    ShardState {
        shard: row.get::<_, i32>(0).unsigned_abs(),
        epoch: count(1),
        owner: row.get(2),
        position: count(3),
        last_processed_at_ms: row.get(4),
        paused: row.get(5),
        parked_keys: count(6),
        parked_messages: count(7),
    }
}
