//! What the tables of arguments say of a topology.yaml, with places.
//!
//! What is wrong on every judged version is a problem, what is wrong on some is advice that names them.
//! The tables themselves are in [`crate::domain::lint`].

use super::{arguments, hint, report::Report, resolve, values::Values};
use crate::domain::{
    lint::{
        Queue, QueueType, Role, VERSIONS,
        arguments::{Finding, Weight, is_misplaced, judge_added, rows},
        required,
    },
    observed::Value,
    version::BrokerVersion,
};

/// Judges for `version`, else for the file's own, else for every supported one.
pub(super) fn judge(values: &Values, version: Option<BrokerVersion>, report: &mut Report) {
    let version = version.or_else(|| values.version("broker.version"));
    let versions = version.map_or_else(|| VERSIONS.to_vec(), |version| vec![version]);
    let Some(kind) = values.choice("queues.type").and_then(QueueType::parse) else { return };
    let arguments = resolve::arguments(values);
    let queue = Queue { role: Role::Shard, kind, arguments: &arguments };
    for (name, value) in &arguments {
        argument(&queue, name, value, &versions, values, report);
    }
    choices(kind, values, report);
}

fn argument(
    queue: &Queue<'_>,
    name: &str,
    value: &Value,
    versions: &[BrokerVersion],
    values: &Values,
    report: &mut Report,
) {
    let findings = judge_added(queue, name, value, versions);
    let serious =
        |version| findings.iter().any(|f| f.weight > Weight::Advice && f.versions.contains(version));
    let everywhere = versions.iter().all(serious);
    let path = arguments::path(name);
    for finding in &findings {
        let message = message(finding, versions);
        let help = help(name);
        if everywhere && finding.weight > Weight::Advice {
            report.problem(values.at(&path), &path, message, help);
        } else {
            report.advice(values.at(&path), &path, message, help);
        }
    }
}

/// Names the versions, unless the finding holds for all of several.
fn message(finding: &Finding, versions: &[BrokerVersion]) -> String {
    let text = &finding.text;
    if versions.len() > 1 && finding.versions.len() == versions.len() {
        format!("it {text}")
    } else {
        format!("on RabbitMQ {} it {text}", finding.version_list())
    }
}

fn help(name: &str) -> Option<String> {
    let known = || rows().iter().map(|row| row.name);
    if known().any(|known| known == name) || is_misplaced(name) {
        return None;
    }
    hint::did_you_mean(name, known()).or_else(|| hint::did_you_mean(&format!("x-{name}"), known()))
}

/// Legal values of other keys that are probably not meant.
fn choices(kind: QueueType, values: &Values, report: &mut Report) {
    let path = "queues.type";
    if kind == QueueType::Classic && values.is_given(path) {
        let message = "a classic queue has one copy, on one node (mirrors are gone since 4.0), and confirms \
                       messages before the disk has them; a quorum queue is replicated and writes first";
        report.advice(values.at(path), path, message, None);
    }
    let path = "queues.delivery_limit";
    if let Some(limit) = values.count(path).and_then(|limit| i64::try_from(limit).ok())
        && kind == QueueType::Quorum
        && limit < required::DELIVERY_LIMIT_LOW
    {
        report.advice(values.at(path), path, required::low(limit), None);
    }
}
