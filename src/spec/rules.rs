//! What the values of topology.yaml mean together: URLs, TLS, limits, and names that must not collide.
//!
//! Invariant: per-key-order (two shards that share a queue, or a routing key that does not tell
//! generation and count, would misroute).

use std::collections::BTreeMap;

use super::{
    address::{self, Findings},
    report::Report,
    values::Values,
};
use crate::domain::{
    name::Name,
    template::{Field, Template, Values as Words},
    topology::{ExchangeKind, Topology},
};

/// Rules over single values that need no whole topology.
pub(super) fn values(values: &Values, report: &mut Report) {
    urls(values, report);
    tls(values, report);
    placeholders(values, report);
    if values.choice("publish.order") == Some("pipelined") {
        for limit in ["queues.max_length", "queues.max_length_bytes"] {
            if values.count(limit).is_some() {
                let message = format!(
                    "pipelined is refused together with {limit}: a full queue refuses one message of a key \
                     and takes the next"
                );
                report.problem(values.at("publish.order"), "publish.order", message, None);
            }
        }
    }
    if values.choice("queues.type") == Some("classic") && values.is_given("queues.delivery_limit") {
        let message = "a classic queue has no delivery limit; the value has no effect";
        report.warning(values.at("queues.delivery_limit"), "queues.delivery_limit", message, None);
    }
    for path in ["shards.routing_key", "queues.name"] {
        if values.template(path).is_some_and(|template| runs_together(&template)) {
            let message = "two numbers stand side by side, so 1 and 11 look like 11 and 1; put a letter or a \
                           dot between them";
            report.problem(values.at(path), path, message, None);
        }
    }
}

/// Placeholders that have no value where the template is used.
fn placeholders(values: &Values, report: &mut Report) {
    let refused = [
        (
            "shards.routing_key",
            Field::Consumer,
            "a message goes to every consumer, so its routing key can't name one",
        ),
        ("queues.dead_letter", Field::Shard, "a consumer has one dead-letter queue for all of its shards"),
    ];
    for (path, field, message) in refused {
        if values.template(path).is_some_and(|template| template.names(field)) {
            report.problem(
                values.at(path),
                path,
                format!("{{{}}} has no place here: {message}", field.as_str()),
                None,
            );
        }
    }
}

fn urls(values: &Values, report: &mut Report) {
    store_url(values, "", report);
    let judged = [
        ("broker.url", address::amqp as fn(&str) -> Findings),
        ("broker.management_url", address::web as fn(&str) -> Findings),
    ];
    for (path, judge) in judged {
        if let Some(text) = values.text(path) {
            tell(judge(text.expose()), values, path, path, report);
        }
    }
}

/// The store's URL in `values`; `prefix` leads to them in messages.
pub(super) fn store_url(values: &Values, prefix: &str, report: &mut Report) {
    let Some(text) = values.text("store.url") else { return };
    let path = format!("{prefix}store.url");
    match address::sqlite(text.expose(), std::path::Path::new("")) {
        Some(Err(message)) => report.problem(values.at("store.url"), &path, message, None),
        Some(Ok(_)) => {}
        None => tell(address::web(text.expose()), values, "store.url", &path, report),
    }
}

fn tell(findings: Findings, values: &Values, key: &str, path: &str, report: &mut Report) {
    for message in findings.problems {
        report.problem(values.at(key), path, message, None);
    }
    for message in findings.warnings {
        report.warning(values.at(key), path, message, None);
    }
}

fn tls(values: &Values, report: &mut Report) {
    let given: Vec<_> = ["ca_file", "cert_file", "key_file"]
        .into_iter()
        .map(|key| format!("broker.tls.{key}"))
        .filter(|path| values.text(path).is_some())
        .collect();
    let plain = values.text("broker.url").is_some_and(|text| !address::is_amqps(text.expose()));
    if let (true, Some(path)) = (plain, given.first()) {
        let message = "TLS files are used with amqps:// only, and broker.url is amqp://";
        report.problem(values.at(path), path, message, None);
    }
    let (cert, key) = ("broker.tls.cert_file", "broker.tls.key_file");
    for (here, other) in [(cert, key), (key, cert)] {
        if values.text(here).is_some() && values.text(other).is_none() {
            report.problem(values.at(here), here, format!("{other} is missing; the two go together"), None);
        }
    }
}

/// Whether two numeric placeholders touch, or are parted by digits only.
fn runs_together(template: &Template) -> bool {
    let mut after_number = false;
    let mut rest = template.as_str();
    while let Some(open) = rest.find('{') {
        let parted = rest[..open].chars().any(|c| !c.is_ascii_digit());
        let Some(close) = rest[open..].find('}') else { return false };
        let number = matches!(&rest[open + 1..open + close], "generation" | "shard" | "count");
        if number && after_number && !parted {
            return true;
        }
        after_number = number || (after_number && !parted);
        rest = &rest[open + close + 1..];
    }
    false
}

/// Names that the templates make, for every consumer and shard.
pub(super) fn names(topology: &Topology, values: &Values, report: &mut Report) {
    routing_keys(topology, values, report);
    let mut taken: BTreeMap<Name, (String, &'static str)> = BTreeMap::new();
    for consumer in topology.consumers.keys() {
        let shards = (0..topology.shards.count).map(Some).chain([None]);
        for shard in shards {
            let path = if shard.is_some() { "queues.name" } else { "queues.dead_letter" };
            let template = if shard.is_some() { &topology.queues.name } else { &topology.queues.dead_letter };
            let words = words(topology, consumer.as_str(), shard.unwrap_or(0));
            let what = match shard {
                Some(shard) => format!("shard {shard} of {consumer}"),
                None => format!("the dead-letter queue of {consumer}"),
            };
            let problem = match template.name(&words) {
                Err(error) => format!("the name of {what} can't be used: {error}"),
                Ok(name) => match taken.insert(name, (what.clone(), path)) {
                    None => continue,
                    Some((other, _)) => format!("{other} and {what} would have one queue"),
                },
            };
            // One collision says it; there would be thousands.
            report.problem(values.at(path), path, problem, None);
            return;
        }
    }
}

fn routing_keys(topology: &Topology, values: &Values, report: &mut Report) {
    let path = "shards.routing_key";
    // The last shard has the longest number.
    let words = words(topology, "", topology.shards.count - 1);
    match topology.shards.routing_key.name(&words) {
        Err(error) => {
            report.problem(values.at(path), path, format!("the routing key can't be used: {error}"), None);
        }
        Ok(key) if topology.exchange.kind == ExchangeKind::Topic && key.as_str().contains(['*', '#']) => {
            let message = "a topic exchange reads * and # in a binding's key as wildcards";
            report.problem(values.at(path), path, message, None);
        }
        Ok(_) => {}
    }
}

fn words<'a>(topology: &'a Topology, consumer: &'a str, shard: u32) -> Words<'a> {
    Words {
        topology: topology.name.as_str(),
        consumer,
        generation: topology.shards.generation,
        shard,
        count: topology.shards.count,
    }
}
