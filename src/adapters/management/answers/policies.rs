//! Policies and the vhost's default queue type.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::arguments;
use crate::domain::{
    observed::Value,
    policy::{ApplyTo, Author, Policy},
};

/// Policies of `/policies/VHOST` or `/operator-policies/VHOST`.
///
/// A word of apply-to that is not known reads as "all": rather one policy too many than one too few.
///
/// # Errors
/// No such JSON.
pub fn policies(body: &str, author: Author) -> Result<Vec<Policy>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Listed {
        name: String,
        #[serde(default)]
        pattern: Option<String>,
        #[serde(default, rename = "apply-to")]
        apply_to: Option<String>,
        #[serde(default)]
        priority: Json,
        #[serde(default)]
        definition: Json,
    }
    let listed: Vec<Listed> = serde_json::from_str(body)?;
    let policy = |listed: Listed| Policy {
        name: listed.name,
        author,
        // Without one it matches everything, as the empty pattern does.
        pattern: listed.pattern.unwrap_or_default(),
        apply_to: listed.apply_to.as_deref().and_then(ApplyTo::parse).unwrap_or(ApplyTo::All),
        priority: listed.priority.as_i64().unwrap_or_default(),
        definition: arguments(&listed.definition).into_iter().map(typed).collect::<BTreeMap<_, _>>(),
    };
    Ok(listed.into_iter().map(policy).collect())
}

/// JSON writes 1000.0 for a number that the broker holds as 1000 when it came from a float.
fn typed((key, value): (String, Value)) -> (String, Value) {
    let value = match value {
        Value::Other(text) => match text.strip_suffix(".0").and_then(|whole| whole.parse().ok()) {
            Some(whole) => Value::Integer(whole),
            None => Value::Other(text),
        },
        value => value,
    };
    (key, value)
}

/// The default queue type of `/vhosts/VHOST`, when one was set.
///
/// # Errors
/// No such JSON.
pub fn default_queue_type(body: &str) -> Result<Option<String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Vhost {
        #[serde(default)]
        default_queue_type: Json,
    }
    let vhost: Vhost = serde_json::from_str(body)?;
    let set = vhost.default_queue_type.as_str().filter(|kind| !matches!(*kind, "" | "undefined"));
    Ok(set.map(super::short_type))
}
