//! Claims: one statement for a batch, a second one only when something was known.

use std::collections::BTreeMap;

use tokio_postgres::{Client, Error, Statement};

use super::{error::store_error, schema::Schema};
use crate::{
    domain::message::{Message, ShardId},
    ports::store::{Claim, StoreError, StoreKind},
};

/// The latest time that fits both the calendar of the handler's text and the server's.
const LAST_MS: i64 = 253_402_300_799_999;

/// The prepared statements.
pub(super) struct Claimer {
    insert: Statement,
    hashes: Statement,
}

impl Claimer {
    pub(super) async fn prepare(client: &Client, schema: &Schema) -> Result<Self, Error> {
        Ok(Self {
            insert: client.prepare(&schema.sql(include_str!("queries/claim.sql"))).await?,
            hashes: client.prepare(&schema.sql(include_str!("queries/claim_hash.sql"))).await?,
        })
    }

    /// Claims `messages` at the positions after `position`, which is moved along.
    pub(super) async fn claim(
        &self,
        client: &Client,
        shard: &ShardId,
        position: &mut i64,
        messages: &[Message],
    ) -> Result<Vec<Claim>, StoreError> {
        let fail = |e| store_error("can't claim messages", e);
        let ids: Vec<String> = messages.iter().map(|message| storable(&message.message_id)).collect();
        let keys: Vec<&str> = messages.iter().map(|message| message.key.as_str()).collect();
        let types: Vec<Option<String>> =
            messages.iter().map(|message| message.event_type.as_deref().map(storable)).collect();
        let hashes: Vec<&[u8]> = messages.iter().map(|message| message.digest.as_slice()).collect();
        let times: Vec<Option<i64>> = messages
            .iter()
            .map(|message| message.published_at_ms.filter(|ms| (0..=LAST_MS).contains(ms)))
            .collect();
        let (generation, number) = (shard.generation.cast_signed(), shard.shard.cast_signed());
        let inserted = client
            .query(
                &self.insert,
                &[&shard.consumer, &generation, &number, &*position, &ids, &keys, &types, &hashes, &times],
            )
            .await
            .map_err(fail)?;
        let mut digests = BTreeMap::new();
        let mut fresh = Vec::with_capacity(inserted.len());
        for (expected, row) in (*position + 1..).zip(&inserted) {
            if row.get::<_, i64>(1) != expected {
                // Another shard has committed one of these ids in this very moment, which left a gap.
                return Err(moved());
            }
            fresh.push(row.get::<_, String>(0));
            *position = expected;
        }
        if fresh.len() < messages.len() {
            let rows = client.query(&self.hashes, &[&shard.consumer, &ids]).await.map_err(fail)?;
            digests.extend(rows.iter().map(|row| (row.get::<_, String>(0), row.get::<_, Vec<u8>>(1))));
        }
        fresh.sort_unstable();
        judge(messages, &ids, fresh, &digests)
    }
}

/// Of each inserted id the first is fresh; every other message is compared with the stored digest.
fn judge(
    messages: &[Message],
    ids: &[String],
    mut fresh: Vec<String>,
    digests: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<Claim>, StoreError> {
    let claim = |(message, id): (&Message, &String)| {
        if let Ok(at) = fresh.binary_search(id) {
            fresh.remove(at);
            return Ok(Claim::Fresh);
        }
        match digests.get(id) {
            Some(digest) if *digest == message.digest => Ok(Claim::Duplicate),
            Some(_) => Ok(Claim::Conflict),
            None => Err(moved()),
        }
    };
    messages.iter().zip(ids).map(claim).collect()
}

/// The table changed between two looks; the whole transaction is run again.
fn moved() -> StoreError {
    StoreError::new(StoreKind::Retryable, "another transaction claimed one of these messages meanwhile")
}

/// PostgreSQL has no NUL in text. Two ids that differ in nothing else are told apart by their digests.
fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
