//! Exports of definitions (`rabbitmqctl export_definitions`, GET /api/definitions) as an observation.
//!
//! An export holds all vhosts or, without a name in each object, one. Operator policies stand among the
//! runtime parameters, on older versions as pairs. Messages and consumers are in no export; nothing of users and
//! their password hashes is read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::{answers, look::keep_ours};
use crate::domain::{
    desired::Desired,
    observed::{Observed, ObservedExchange, ObservedQueue, Sight},
    orphans,
    policy::Author,
    topology::Topology,
};

/// Why an export can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No JSON, or a list that is none.
    #[error("it is no export of definitions")]
    Json(#[from] serde_json::Error),
    /// JSON of something else.
    #[error("it is no export of definitions: it has no list of queues")]
    Other,
    /// It does not hold the vhost.
    #[error("it does not hold the vhost {wanted:?} of broker.url; it holds {held}")]
    Vhost {
        /// The vhost of the topology.
        wanted: String,
        /// The names of the others.
        held: String,
    },
}

/// What `export` says of the objects of `topology` in `vhost`.
///
/// # Errors
/// It is no export, or one without this vhost.
pub fn observed(topology: &Topology, vhost: &str, export: &str) -> Result<Observed, ExportError> {
    let export: Json = serde_json::from_str(export)?;
    if !export["queues"].is_array() {
        return Err(ExportError::Other);
    }
    let names: BTreeSet<&str> = objects(&export, "vhosts").filter_map(|v| v["name"].as_str()).collect();
    if !names.is_empty() && !names.contains(vhost) {
        let held = names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        return Err(ExportError::Vhost { wanted: vhost.to_owned(), held });
    }
    let here = |object: &&Json| object["vhost"].as_str().is_none_or(|of| of == vhost);
    let list = |kind: &str| Json::from_iter(objects(&export, kind).filter(here).cloned()).to_string();

    let desired = Desired::of(topology);
    let mut queues = answers::queues(&list("queues"))?;
    let mut bindings = answers::bindings(&list("bindings"))?;
    let exchange = answers::exchanges(&list("exchanges"))?.remove(&desired.exchange.name);
    let mut policies = answers::policies(&list("policies"), Author::User)?;
    let operators: Json = objects(&export, "parameters").filter(here).filter_map(operator_policy).collect();
    policies.extend(answers::policies(&operators.to_string(), Author::Operator)?);
    let orphans = orphans::find(topology, &queues, &BTreeMap::new(), &bindings);
    keep_ours(&desired, &mut queues, &mut bindings);
    Ok(Observed {
        sight: Sight::Management,
        broker_version: version(&export),
        exchange: exchange.map(|details| ObservedExchange { details: Some(details), verdict: None }),
        queues: queues
            .into_iter()
            .map(|(name, details)| (name, ObservedQueue { details: Some(details), verdict: None }))
            .collect(),
        bindings: Some(bindings),
        policies: Some(policies),
        default_queue_type: None,
        orphans,
        unread: Vec::new(),
    })
}

fn objects<'a>(export: &'a Json, kind: &str) -> impl Iterator<Item = &'a Json> {
    export[kind].as_array().into_iter().flatten()
}

fn version(export: &Json) -> Option<String> {
    let names = ["product_version", "rabbitmq_version", "rabbit_version"];
    let version = names.iter().find_map(|name| export[*name].as_str())?;
    Some(format!("RabbitMQ {version}"))
}

/// A runtime parameter as the object that `/operator-policies` shows.
fn operator_policy(parameter: &Json) -> Option<Json> {
    if parameter["component"] != "operator_policy" {
        return None;
    }
    let mut policy = parameter["value"].as_object()?.clone();
    policy.insert("name".to_owned(), parameter["name"].clone());
    if let Some(pairs) = policy.get("definition").and_then(Json::as_array) {
        let pair = |pair: &Json| Some((pair[0].as_str()?.to_owned(), pair[1].clone()));
        let definition: Map<_, _> = pairs.iter().filter_map(pair).collect();
        policy.insert("definition".to_owned(), json!(definition));
    }
    Some(Json::Object(policy))
}
