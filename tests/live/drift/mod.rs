//! Drift made by hand on a live broker: named by `plan`, mended by `apply` where it is ours, else left alone.

mod foreign;
mod objects;
mod policies;
mod seen;
mod table;
mod told;

use crate::harness::rabbitmq::{Vhost, encode};

const SHARD: &str = "orders.ledger.g1.0";

/// One request to the management API that must succeed.
#[track_caller]
fn made(vhost: &Vhost<'_>, method: &str, kind: &str, rest: &str, body: &str) {
    let (status, answer) = vhost.management(method, kind, rest, body);
    assert!(matches!(status, 201 | 204), "{method} {kind}{rest}: {status} {answer}");
}

/// Sets a policy; `kind` is `policies` or `operator-policies`.
#[track_caller]
fn set_policy(vhost: &Vhost<'_>, kind: &str, name: &str, pattern: &str, apply_to: &str, definition: &str) {
    let pattern = serde_json::to_string(pattern).expect("a text");
    let body = format!(
        r#"{{"pattern":{pattern},"apply-to":"{apply_to}","priority":0,"definition":{{{definition}}}}}"#
    );
    made(vhost, "PUT", kind, &format!("/{}", encode(name)), &body);
}

/// Binds; `kind` is `q` or `e`.
#[track_caller]
fn bind(vhost: &Vhost<'_>, source: &str, kind: &str, destination: &str, key: &str, arguments: &str) {
    let rest = format!("/e/{}/{kind}/{}", encode(source), encode(destination));
    let body = format!(r#"{{"routing_key":"{key}","arguments":{{{arguments}}}}}"#);
    made(vhost, "POST", "bindings", &rest, &body);
}

#[track_caller]
fn delete(vhost: &Vhost<'_>, kind: &str, name: &str) {
    made(vhost, "DELETE", kind, &format!("/{name}"), "");
}
