//! Carrying out the steps of a plan that only the management API has requests for: policies.
//!
//! Setting a policy that is already so and deleting one that is gone both succeed.

use serde_json::{Map, Value as Json, json};

use super::http::Http;
use crate::{
    domain::{observed::Value, plan::Step, policy::Policy},
    ports::link::{LinkError, LinkKind},
};

/// Runs one step.
pub(super) async fn execute(http: &Http, step: &Step) -> Result<(), LinkError> {
    let url = |name: &str| http.target.url(&["policies", http.target.vhost(), name]);
    match step {
        Step::Policy { policy } => http.put(&url(&policy.name), body(policy)).await,
        Step::DeletePolicy { name } => http.delete(&url(name)).await,
        _ => Err(LinkError::new(LinkKind::Protocol, "the management API is not used for this step")),
    }
}

fn body(policy: &Policy) -> String {
    let definition: Map<String, Json> =
        policy.definition.iter().map(|(key, value)| (key.clone(), value_json(value))).collect();
    json!({
        "pattern": policy.pattern,
        "apply-to": policy.apply_to.as_str(),
        "priority": policy.priority,
        "definition": definition,
    })
    .to_string()
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Integer(number) => (*number).into(),
        Value::Text(text) | Value::Other(text) => text.clone().into(),
        Value::Bool(flag) => (*flag).into(),
    }
}
