//! Replays example messages through a consumer's handler: what publishing and consuming would do with
//! them, without a broker and one transaction each.
//!
//! The store is brought by the caller, who throws it away. Nothing is retried: an example that fails,
//! fails.
//!
//! Invariants: effect-once, per-key-order, in the small.

use std::collections::{BTreeMap, btree_map::Entry};

use crate::{
    domain::{
        consumer::SqlFile,
        envelope::{
            Envelope, EnvelopeError, HEADER_GENERATION, HEADER_KEY, HEADER_PUBLISHED_AT, HEADER_SEQUENCE,
            HEADER_TRACEPARENT, HeaderValue,
        },
        message::{Message, ShardId, digest},
        route::{Routed, ShardMap},
    },
    ports::{
        fields::{FieldError, FieldReader},
        store::{Claim, Epoch, Session, Store, StoreError},
    },
};

/// What a replay needs.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "made of ports, which have no state worth showing")]
pub struct Job<'a> {
    /// The consumer's name.
    pub consumer: &'a str,
    /// Its handler.
    pub handler: &'a SqlFile,
    /// Key to shard.
    pub map: &'a ShardMap,
    /// Longest body in bytes.
    pub max_body: u64,
    /// Finds key, id and the rest in a line.
    pub fields: &'a dyn FieldReader,
    /// Where effects go; its tables are there.
    pub store: &'a dyn Store,
}

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store can't be used, or the handler can't be prepared on it.
    #[error("the handler can't be run")]
    Start(#[source] StoreError),
    /// A message failed; those before it are applied.
    #[error("message {number}")]
    Message {
        /// Its number, from 1.
        number: usize,
        /// Why.
        #[source]
        source: MessageError,
    },
}

/// Why a message failed.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// It is no JSON, or lacks what the topology asks for.
    #[error(transparent)]
    Fields(#[from] FieldError),
    /// It could not be published.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The topology takes the key from a header, or an id is missing.
    #[error("the {0} is missing")]
    Missing(&'static str),
    /// Its id was used before with another key or body.
    #[error("its id was used before with another key or body")]
    Conflict,
    /// The handler, or the store.
    #[error("the handler failed")]
    Handler(#[source] StoreError),
}

/// Replays `bodies` in order.
///
/// # Errors
/// The first message that fails.
pub async fn replay(job: Job<'_>, bodies: &[Vec<u8>]) -> Result<(), Error> {
    let mut session = job.store.session(job.handler).await.map_err(Error::Start)?;
    let mut epochs = BTreeMap::new();
    for (index, body) in bodies.iter().enumerate() {
        let done = one(job, session.as_mut(), &mut epochs, body).await;
        done.map_err(|source| Error::Message { number: index + 1, source })?;
    }
    Ok(())
}

async fn one(
    job: Job<'_>,
    session: &mut dyn Session,
    epochs: &mut BTreeMap<ShardId, Epoch>,
    body: &[u8],
) -> Result<(), MessageError> {
    let routed = routed(job, body)?;
    let shard =
        ShardId { consumer: job.consumer.to_owned(), generation: routed.generation(), shard: routed.shard() };
    let epoch = match epochs.entry(shard.clone()) {
        Entry::Occupied(entry) => *entry.get(),
        Entry::Vacant(entry) => {
            *entry.insert(session.acquire(&shard, "replay").await.map_err(MessageError::Handler)?)
        }
    };
    let message = message(&routed);
    session.begin(&shard, epoch).await.map_err(MessageError::Handler)?;
    let applied = apply(session, &message).await;
    match applied {
        Ok(()) => session.commit().await.map(drop).map_err(MessageError::Handler),
        Err(error) => {
            session.rollback().await.map_err(MessageError::Handler)?;
            Err(error)
        }
    }
}

async fn apply(session: &mut dyn Session, message: &Message) -> Result<(), MessageError> {
    let claims = session.claim(std::slice::from_ref(message)).await.map_err(MessageError::Handler)?;
    match claims.first() {
        Some(Claim::Fresh) => {
            session.apply(&[message]).await.map_err(|failed| MessageError::Handler(failed.error))
        }
        Some(Claim::Conflict) => Err(MessageError::Conflict),
        Some(Claim::Duplicate) | None => Ok(()),
    }
}

fn routed(job: Job<'_>, body: &[u8]) -> Result<Routed, MessageError> {
    let fields = job.fields.read(body)?;
    let envelope = Envelope {
        message_id: fields.id.ok_or(MessageError::Missing("message id"))?,
        key: fields.key.ok_or(MessageError::Missing("key in the body"))?,
        event_type: fields.event_type,
        correlation_id: fields.correlation_id,
        sequence: fields.sequence,
        occurred_at_ms: fields.occurred_at_ms,
        trace_id: fields.trace_id,
        body: body.to_vec(),
    };
    envelope.check(job.max_body)?;
    Ok(job.map.routed(envelope))
}

/// The message as a consumer would see it. The time of publishing is that of the event, so that a replay
/// always comes out the same.
fn message(routed: &Routed) -> Message {
    let envelope = routed.envelope();
    let published_at_ms = envelope.occurred_at_ms.unwrap_or(0);
    let mut headers = BTreeMap::from([
        (HEADER_KEY.to_owned(), HeaderValue::Text(envelope.key.as_str().to_owned())),
        (HEADER_GENERATION.to_owned(), HeaderValue::Integer(routed.generation().into())),
        (HEADER_PUBLISHED_AT.to_owned(), HeaderValue::Integer(published_at_ms)),
    ]);
    headers.extend(envelope.sequence.map(|n| (HEADER_SEQUENCE.to_owned(), HeaderValue::Integer(n))));
    let trace = envelope.trace_id.clone();
    headers.extend(trace.map(|text| (HEADER_TRACEPARENT.to_owned(), HeaderValue::Text(text))));
    Message {
        message_id: envelope.message_id.clone(),
        key: envelope.key.clone(),
        event_type: envelope.event_type.clone(),
        correlation_id: envelope.correlation_id.clone(),
        sequence: envelope.sequence,
        published_at_ms: Some(published_at_ms),
        trace_id: envelope.trace_id.clone(),
        headers,
        body: envelope.body.clone(),
        digest: digest(&envelope.key, &envelope.body),
        redelivered: false,
    }
}
