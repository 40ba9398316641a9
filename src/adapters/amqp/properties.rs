//! Envelope to AMQP properties and back.
//!
//! Owns which property carries what. Header values that are neither text nor integer are kept as a
//! description: nothing of ours reads them.

use std::collections::BTreeMap;

use lapin::{
    BasicProperties,
    types::{AMQPValue, FieldTable, ShortString, ShortStringError},
};

use crate::domain::{
    envelope::{
        APP_ID, HEADER_GENERATION, HEADER_KEY, HEADER_PUBLISHED_AT, HEADER_SEQUENCE, HEADER_TRACEPARENT,
        HeaderValue, Incoming,
    },
    route::Routed,
};

/// The delivery mode that survives a restart (T25).
const PERSISTENT: u8 = 2;

/// Properties of a message to send. Never sets expiration, priority, CC or BCC.
pub(super) fn encode(message: &Routed, published_at_ms: i64) -> Result<BasicProperties, ShortStringError> {
    let envelope = message.envelope();
    let mut headers = FieldTable::default();
    headers.insert(ShortString::try_new(HEADER_KEY)?, AMQPValue::LongString(envelope.key.as_str().into()));
    headers.insert(
        ShortString::try_new(HEADER_GENERATION)?,
        AMQPValue::LongLongInt(message.generation().into()),
    );
    headers.insert(ShortString::try_new(HEADER_PUBLISHED_AT)?, AMQPValue::LongLongInt(published_at_ms));
    if let Some(sequence) = envelope.sequence {
        headers.insert(ShortString::try_new(HEADER_SEQUENCE)?, AMQPValue::LongLongInt(sequence));
    }
    if let Some(trace) = &envelope.trace_id {
        headers
            .insert(ShortString::try_new(HEADER_TRACEPARENT)?, AMQPValue::LongString(trace.as_str().into()));
    }
    let mut properties = BasicProperties::default()
        .with_delivery_mode(PERSISTENT)
        .with_content_type(ShortString::try_new("application/json")?)
        .with_app_id(ShortString::try_new(APP_ID)?)
        .with_message_id(ShortString::try_new(envelope.message_id.as_str())?)
        .with_headers(headers);
    if let Some(event_type) = &envelope.event_type {
        properties = properties.with_type(ShortString::try_new(event_type.as_str())?);
    }
    if let Some(correlation_id) = &envelope.correlation_id {
        properties = properties.with_correlation_id(ShortString::try_new(correlation_id.as_str())?);
    }
    let time_ms = envelope.occurred_at_ms.unwrap_or(published_at_ms);
    if let Ok(seconds) = u64::try_from(time_ms.div_euclid(1000)) {
        properties = properties.with_timestamp(seconds);
    }
    Ok(properties)
}

/// A delivery in neutral form.
pub(super) fn decode(properties: &BasicProperties, body: Vec<u8>, redelivered: bool) -> Incoming {
    Incoming {
        message_id: text(properties.message_id()),
        event_type: text(properties.kind()),
        correlation_id: text(properties.correlation_id()),
        timestamp: *properties.timestamp(),
        priority: *properties.priority(),
        delivery_mode: *properties.delivery_mode(),
        headers: properties.headers().as_ref().map(headers).unwrap_or_default(),
        body,
        redelivered,
    }
}

fn text(value: &Option<ShortString>) -> Option<String> {
    value.as_ref().map(|s| s.as_str().to_owned())
}

fn headers(table: &FieldTable) -> BTreeMap<String, HeaderValue> {
    table.inner().iter().map(|(name, value)| (name.as_str().to_owned(), header(value))).collect()
}

fn header(value: &AMQPValue) -> HeaderValue {
    match value {
        AMQPValue::LongString(s) => match std::str::from_utf8(s.as_bytes()) {
            Ok(text) => HeaderValue::Text(text.to_owned()),
            Err(_) => HeaderValue::Other("bytes that are no UTF-8".to_owned()),
        },
        AMQPValue::ShortString(s) => HeaderValue::Text(s.as_str().to_owned()),
        AMQPValue::ShortShortInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::ShortShortUInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::ShortInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::ShortUInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::LongInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::LongUInt(n) => HeaderValue::Integer((*n).into()),
        AMQPValue::LongLongInt(n) => HeaderValue::Integer(*n),
        other => HeaderValue::Other(format!("{:?}", other.get_type())),
    }
}
