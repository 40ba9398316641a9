//! The values of topology.yaml to the domain's topology, without its consumers' files.
//!
//! `None` means that a problem was reported. What the values mean together is judged in
//! [`super::rules`].

use std::{collections::BTreeMap, path::Path};

use super::{address, arguments, values::Values};
use crate::domain::{
    hash::HashKind,
    name::Name,
    observed::Value,
    secret::Secret,
    topology::{
        Broker, Exchange, ExchangeKind, MessageFields, Order, Publish, QueueKind, Queues, Shards,
        StoreTarget, Tls, Topology,
    },
};

/// Everything but the consumers.
pub(super) fn topology(values: &Values, base: &Path) -> Option<Topology> {
    Some(Topology {
        name: name(values, "topology")?,
        broker: Broker {
            url: values.text("broker.url")?,
            management_url: values.text("broker.management_url"),
            tls: tls(values, base),
            version: values.version("broker.version"),
        },
        exchange: Exchange {
            name: name(values, "exchange.name")?,
            kind: match values.choice("exchange.type")? {
                "topic" => ExchangeKind::Topic,
                _ => ExchangeKind::Direct,
            },
        },
        shards: Shards {
            count: values.count32("shards.count")?,
            generation: values.count32("shards.generation")?,
            key: values.key("shards.key")?,
            hash: HashKind::ALL
                .into_iter()
                .find(|kind| Some(kind.as_str()) == values.choice("shards.hash"))?,
            routing_key: values.template("shards.routing_key")?,
        },
        queues: Queues {
            name: values.template("queues.name")?,
            kind: match values.choice("queues.type")? {
                "classic" => QueueKind::Classic,
                _ => QueueKind::Quorum,
            },
            delivery_limit: values.count32("queues.delivery_limit")?,
            max_length: values.count("queues.max_length"),
            max_length_bytes: values.count("queues.max_length_bytes"),
            dead_letter: values.template("queues.dead_letter")?,
            arguments: arguments(values),
        },
        message: MessageFields {
            id: values.pointer("message.id"),
            event_type: values.pointer("message.type"),
            sequence: values.pointer("message.sequence"),
            occurred_at: values.pointer("message.occurred_at"),
            correlation_id: values.pointer("message.correlation_id"),
            trace_id: values.pointer("message.trace_id"),
        },
        publish: Publish {
            in_flight: values.count32("publish.in_flight")?,
            in_flight_bytes: values.count("publish.in_flight_bytes")?,
            confirm_timeout: values.duration("publish.confirm_timeout")?,
            give_up_after: values.duration("publish.give_up_after")?,
            order: match values.choice("publish.order")? {
                "pipelined" => Order::Pipelined,
                _ => Order::Strict,
            },
            max_body: values.count("publish.max_body")?,
        },
        store: StoreTarget { url: store_url(values, base)?, schema: name(values, "store.schema")? },
        consumers: BTreeMap::new(),
    })
}

/// `queues.arguments`.
pub(super) fn arguments(values: &Values) -> BTreeMap<String, Value> {
    let names = values.names_below(arguments::PATH).into_iter();
    names.filter_map(|name| Some((name.to_owned(), values.argument(&arguments::path(name))?))).collect()
}

/// A consumer's own store, when the file gives it one.
pub(super) fn own_store(values: &Values, base: &Path, shared: &StoreTarget) -> Option<StoreTarget> {
    let url = store_url(values, base);
    let schema = name(values, "store.schema");
    if url.is_none() && schema.is_none() {
        return None;
    }
    Some(StoreTarget {
        url: url.unwrap_or_else(|| shared.url.clone()),
        schema: schema.unwrap_or_else(|| shared.schema.clone()),
    })
}

/// The store's URL with its file joined to `base`; errors of the form are reported by the rules.
fn store_url(values: &Values, base: &Path) -> Option<Secret> {
    let written = values.text("store.url")?;
    match address::sqlite(written.expose(), base) {
        None => Some(written),
        Some(Ok(joined)) => Some(Secret::new(joined, written.shown())),
        Some(Err(_)) => None,
    }
}

fn tls(values: &Values, base: &Path) -> Tls {
    let file = |path| values.text(path).map(|file| base.join(file.expose()));
    Tls {
        ca_file: file("broker.tls.ca_file"),
        cert_file: file("broker.tls.cert_file"),
        key_file: file("broker.tls.key_file"),
    }
}

fn name(values: &Values, path: &str) -> Option<Name> {
    // The reader has checked it; a second look costs nothing and needs no panic.
    Name::new(values.text(path)?.expose()).ok()
}
