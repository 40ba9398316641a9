//! What both test binaries build on: a topology in code and a reader for flat JSON lines.

use std::{collections::BTreeMap, time::Duration};

use topo::{
    domain::{
        consumer::{Batch, Consumer, Dedup, Handler, Linger, Mode, OnFailure},
        hash::HashKind,
        key::{KeyError, KeyRule, OrderingKey, Pointer},
        name::Name,
        retry::RetryPolicy,
        secret::Secret,
        template::Template,
        topology::{
            Broker, Exchange, ExchangeKind, MessageFields, Order, Publish, QueueKind, Queues, Shards,
            StoreTarget, Tls, Topology,
        },
    },
    ports::fields::{FieldError, FieldReader, Fields},
};

/// The name `text`.
pub(crate) fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// A consumer with small batches and quick retries.
pub(crate) fn consumer(text: &str) -> Consumer {
    Consumer {
        name: name(text),
        store: None,
        handler: Some(Handler::Rust("ledger".to_owned())),
        mode: Mode::Each,
        batch: Batch { max_messages: 50, max_bytes: 1 << 20, linger: Linger::Auto },
        prefetch: 50,
        dedup: Dedup::MessageId,
        retry: RetryPolicy {
            attempts: 3,
            backoff_min: Duration::from_millis(5),
            backoff_max: Duration::from_millis(20),
        },
        on_failure: OnFailure::Block,
        timeout: Duration::from_secs(30),
        retention: Duration::from_secs(14 * 24 * 3600),
        schema: None,
    }
}

/// A topology `orders` with one consumer `ledger`.
pub(crate) fn topology(amqp_url: &str, shards: u32, kind: QueueKind) -> Topology {
    Topology {
        name: name("orders"),
        broker: Broker {
            url: Secret::new(amqp_url, "test"),
            management_url: None,
            tls: Tls::default(),
            version: None,
        },
        exchange: Exchange { name: name("orders"), kind: ExchangeKind::Direct },
        shards: Shards {
            count: shards,
            generation: 1,
            key: KeyRule::parse("/key").unwrap(),
            hash: HashKind::Xxh64,
            routing_key: Template::parse("{topology}.g{generation}.{shard}of{count}").unwrap(),
        },
        queues: Queues {
            name: Template::parse("{topology}.{consumer}.g{generation}.{shard}").unwrap(),
            kind,
            delivery_limit: 1000,
            max_length: None,
            max_length_bytes: None,
            dead_letter: Template::parse("{topology}.{consumer}.dead").unwrap(),
            arguments: BTreeMap::new(),
        },
        message: MessageFields {
            id: Some(Pointer::parse("/id").unwrap()),
            sequence: Some(Pointer::parse("/seq").unwrap()),
            ..MessageFields::default()
        },
        publish: publish(),
        store: StoreTarget { url: Secret::new("sqlite:topo.db", "test"), schema: name("topo") },
        consumers: BTreeMap::from([(name("ledger"), consumer("ledger"))]),
    }
}

/// Publishing limits with a confirm deadline that a stalled test reaches soon.
pub(crate) fn publish() -> Publish {
    Publish {
        in_flight: 256,
        in_flight_bytes: 8 << 20,
        confirm_timeout: Duration::from_secs(10),
        give_up_after: Duration::from_secs(60),
        order: Order::Strict,
        max_body: 1 << 20,
    }
}

/// The line of event number `seq` of `key`.
pub(crate) fn line(key: &str, seq: u64) -> Vec<u8> {
    format!(r#"{{"key":"{key}","id":"{key}-{seq}","seq":{seq}}}"#).into_bytes()
}

/// Reads the lines of [`line`].
#[derive(Debug)]
pub(crate) struct FlatReader;

impl FieldReader for FlatReader {
    fn read(&self, body: &[u8]) -> Result<Fields, FieldError> {
        let bad = |text: &str| FieldError { pointer: None, text: text.to_owned() };
        let value: serde_json::Value = serde_json::from_slice(body).map_err(|e| bad(&e.to_string()))?;
        let key = value["key"].as_str().ok_or_else(|| bad("no key"))?;
        Ok(Fields {
            key: Some(OrderingKey::new(key).map_err(|e| bad(&e.to_string()))?),
            id: value["id"].as_str().map(str::to_owned),
            event_type: None,
            sequence: value["seq"].as_i64(),
            occurred_at_ms: None,
            correlation_id: None,
            trace_id: None,
        })
    }

    fn key(&self, body: &[u8]) -> Result<OrderingKey, KeyError> {
        self.read(body).ok().and_then(|fields| fields.key).ok_or(KeyError::Missing)
    }
}
