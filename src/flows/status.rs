//! Reads the state of a running topology from broker and stores. Changes nothing.

use std::collections::BTreeMap;

use super::{plan::with_causes, world::World};
use crate::{
    domain::{
        code::Code,
        desired::Desired,
        observed::QueueStats,
        status::{Problem, ShardStatus, StatusReport, dead_letter_problem, queue_problems},
        stores::stores,
    },
    ports::{
        link::{LinkError, LinkKind},
        store::{ShardState, StoreKind},
    },
};

/// The state of every shard of every consumer, and what is wrong.
///
/// Counts come from AMQP, which knows them at once; the management API adds what AMQP can't tell. A store
/// that can't be read is a problem in the report, not an error.
///
/// # Errors
/// The broker can't be reached through AMQP.
pub async fn status(world: &World<'_>) -> Result<StatusReport, LinkError> {
    let topology = world.topology;
    let mut report = StatusReport {
        topology: topology.name.as_str().to_owned(),
        generation: topology.shards.generation,
        ..StatusReport::default()
    };
    let names: Vec<_> = Desired::of(topology).all_queues().map(|queue| queue.name.clone()).collect();
    let exact = world.amqp.stats(&names).await;
    let more = match world.management {
        None => None,
        Some(management) => match management.stats(&names).await {
            Ok(stats) => Some(stats),
            Err(error) => {
                report.unchecked.push(format!("unacked can't be seen: {}", with_causes(&error)));
                None
            }
        },
    };
    let exact = match (exact, &more) {
        // From 4.3 on counting through AMQP needs configure, which an observer should not have (T63).
        (Err(error), Some(late)) if error.kind == LinkKind::Refused => {
            report
                .unchecked
                .push("counts are the statistics', some seconds old: this user may not count".to_owned());
            late.clone()
        }
        (exact, _) => exact?,
    };
    let queues: BTreeMap<_, _> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let exact = exact.get(i).cloned().flatten();
            let more = more.as_ref().and_then(|stats| stats.get(i).cloned().flatten());
            (name.as_str(), exact.map(|exact| merge(exact, more)))
        })
        .collect();
    let mut states = owners(world, &mut report.problems).await;
    for consumer in topology.consumers.keys() {
        for shard in 0..topology.shards.count {
            let queue = topology.queue(consumer, shard);
            let stats = queues.get(queue.as_str()).cloned().flatten();
            let state = states.remove(&(consumer.as_str().to_owned(), shard)).unwrap_or_default();
            report.shards.push(row(consumer.as_str(), shard, queue, stats, state));
        }
    }
    report.problems.extend(queue_problems(&report.shards));
    for queue in Desired::of(topology).dead_letters {
        let ready = queues.get(queue.name.as_str()).and_then(|stats| stats.as_ref()).map(|stats| stats.ready);
        report.problems.extend(dead_letter_problem(&queue.name, ready));
    }
    Ok(report)
}

/// `ready` and the presence of a consumer are exact through AMQP; the number of standbys is not.
pub(super) fn merge(exact: QueueStats, more: Option<QueueStats>) -> QueueStats {
    let Some(more) = more else { return exact };
    QueueStats {
        ready: exact.ready,
        unacked: more.unacked,
        consumers: if exact.consumers == 0 { 0 } else { exact.consumers.max(more.consumers) },
        active_tag: more.active_tag,
    }
}

/// Owners, epochs and parked messages by consumer and shard, from every store that answers.
async fn owners(world: &World<'_>, problems: &mut Vec<Problem>) -> BTreeMap<(String, u32), ShardState> {
    let mut found = BTreeMap::new();
    for (target, store) in stores(world.topology).iter().zip(world.stores) {
        for consumer in &target.consumers {
            let name = consumer.name.as_str();
            match store.shards(name, world.topology.shards.generation).await {
                Ok(states) => {
                    found.extend(states.into_iter().map(|state| ((name.to_owned(), state.shard), state)));
                }
                Err(error) => {
                    let text = format!("store {}: {}", target.label(), with_causes(&error));
                    problems.push(Problem { code: store_code(error.kind), text });
                    break;
                }
            }
        }
    }
    found
}

const fn store_code(kind: StoreKind) -> Code {
    match kind {
        StoreKind::Unreachable => Code::StoreUnreachable,
        StoreKind::Refused => Code::StoreRefused,
        StoreKind::SchemaMissing => Code::SchemaMissing,
        StoreKind::SchemaNewer => Code::SchemaNewer,
        StoreKind::Retryable | StoreKind::Fenced | StoreKind::Handler | StoreKind::Failed => {
            Code::StoreFailed
        }
    }
}

fn row(
    consumer: &str,
    shard: u32,
    queue: String,
    stats: Option<QueueStats>,
    state: ShardState,
) -> ShardStatus {
    let exists = stats.is_some();
    let stats = stats.unwrap_or_default();
    ShardStatus {
        consumer: consumer.to_owned(),
        shard,
        queue,
        exists,
        ready: stats.ready,
        unacked: stats.unacked,
        consumers: stats.consumers,
        owner: state.owner,
        epoch: state.epoch,
        paused: state.paused,
        parked_keys: state.parked_keys,
        parked_messages: state.parked_messages,
        oldest_age_seconds: None,
        last_processed_at_ms: state.last_processed_at_ms,
    }
}
