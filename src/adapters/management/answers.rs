//! JSON answers of the management API, read into the domain's terms.
//!
//! Pure functions over text, so that recorded answers of several versions can be read in tests. Counts of
//! a queue that is younger than the statistics interval are missing, null or zero, depending on the version:
//! missing and null read as unknown.

mod counts;
pub mod health;
mod policies;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use crate::domain::observed::{ExchangeDetails, ObservedBinding, QueueDetails, Value};

pub use counts::{STATS_COLUMNS, active_tags, known_stats, stats};
pub use policies::{default_queue_type, policies};

/// Columns that [`queues`] and [`known_stats`] need: keeps the answer small on a broker with many queues.
pub const QUEUE_COLUMNS: &str =
    "name,type,durable,auto_delete,exclusive,arguments,messages_ready,messages_unacknowledged,consumers";

/// Columns that [`exchanges`] needs.
pub const EXCHANGE_COLUMNS: &str = "name,type,durable,auto_delete,internal,arguments";

/// Product and version of `/overview`.
///
/// # Errors
/// No such JSON.
pub fn version(body: &str) -> Result<Option<String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Overview {
        #[serde(default)]
        product_name: Option<String>,
        #[serde(default)]
        product_version: Option<String>,
        #[serde(default)]
        rabbitmq_version: Option<String>,
    }
    let overview: Overview = serde_json::from_str(body)?;
    let product = overview.product_name.unwrap_or_else(|| "RabbitMQ".to_owned());
    let version = overview.product_version.or(overview.rabbitmq_version);
    Ok(version.map(|version| format!("{product} {version}")))
}

/// Exchanges by name, of `/exchanges/VHOST`. The resource of a single exchange fails on 3.10 when its metrics
/// collector is off.
///
/// # Errors
/// No such JSON.
pub fn exchanges(body: &str) -> Result<BTreeMap<String, ExchangeDetails>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Exchange {
        name: String,
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(default)]
        durable: Option<bool>,
        #[serde(default)]
        auto_delete: Option<bool>,
        #[serde(default)]
        internal: Option<bool>,
        #[serde(default)]
        arguments: Json,
    }
    let exchanges: Vec<Exchange> = serde_json::from_str(body)?;
    let details = |exchange: Exchange| {
        let details = ExchangeDetails {
            kind: exchange.kind.unwrap_or_default(),
            durable: exchange.durable.unwrap_or_default(),
            auto_delete: exchange.auto_delete.unwrap_or_default(),
            internal: exchange.internal.unwrap_or_default(),
            arguments: arguments(&exchange.arguments),
        };
        (exchange.name, details)
    };
    Ok(exchanges.into_iter().map(details).collect())
}

/// Queues by name, of `/queues/VHOST`.
///
/// # Errors
/// No such JSON.
pub fn queues(body: &str) -> Result<BTreeMap<String, QueueDetails>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Queue {
        name: String,
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(default)]
        durable: Option<bool>,
        #[serde(default)]
        auto_delete: Option<bool>,
        #[serde(default)]
        exclusive: Option<bool>,
        #[serde(default)]
        arguments: Json,
    }
    let queues: Vec<Queue> = serde_json::from_str(body)?;
    let details = |queue: Queue| {
        let arguments = arguments(&queue.arguments);
        let given = match arguments.get("x-queue-type") {
            Some(Value::Text(kind)) => kind.clone(),
            _ => "classic".to_owned(),
        };
        let details = QueueDetails {
            // 4.x may name the module of a type that has no short name.
            kind: queue.kind.map_or(given, |kind| short_type(&kind)),
            durable: queue.durable.unwrap_or_default(),
            auto_delete: queue.auto_delete.unwrap_or_default(),
            exclusive: queue.exclusive.unwrap_or_default(),
            arguments,
        };
        (queue.name, details)
    };
    Ok(queues.into_iter().map(details).collect())
}

/// Bindings of `/bindings/VHOST`, those of the default exchange left out.
///
/// # Errors
/// No such JSON.
pub fn bindings(body: &str) -> Result<Vec<ObservedBinding>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Binding {
        #[serde(default)]
        source: String,
        #[serde(default)]
        destination: String,
        #[serde(default)]
        destination_type: Option<String>,
        #[serde(default)]
        routing_key: String,
        #[serde(default)]
        arguments: Json,
    }
    let bindings: Vec<Binding> = serde_json::from_str(body)?;
    let named = bindings.into_iter().filter(|binding| !binding.source.is_empty());
    Ok(named
        .map(|binding| ObservedBinding {
            source: binding.source,
            destination: binding.destination,
            to_queue: binding.destination_type.as_deref() != Some("exchange"),
            routing_key: binding.routing_key,
            has_arguments: !arguments(&binding.arguments).is_empty(),
        })
        .collect())
}

/// The reason in the body of an error.
pub(super) fn reason(body: &str) -> Option<String> {
    let json: Json = serde_json::from_str(body).ok()?;
    json.get("reason").or_else(|| json.get("error"))?.as_str().map(str::to_owned)
}

/// An empty table is written `{}` or `[]`.
fn arguments(json: &Json) -> BTreeMap<String, Value> {
    let table = json.as_object();
    table.into_iter().flatten().map(|(name, json)| (name.clone(), value(json))).collect()
}

fn value(json: &Json) -> Value {
    match json {
        Json::String(text) => Value::Text(text.clone()),
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Other(number.to_string()), Value::Integer)
        }
        Json::Null | Json::Array(_) | Json::Object(_) => Value::Other(json.to_string()),
    }
}

fn short_type(kind: &str) -> String {
    let kind = kind.strip_prefix("rabbit_").unwrap_or(kind);
    kind.strip_suffix("_queue").unwrap_or(kind).to_owned()
}
