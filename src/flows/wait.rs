//! Waits until a topology is as its file says, or until its queues are empty.
//!
//! A broker or store that can't be reached is waited for like everything else: runbooks start things in any
//! order. "Empty" is believed only when it lasts, because what is delivered and not acknowledged shows some
//! seconds late (T131).

use std::time::Duration;

use tokio::sync::watch;

use super::{
    plan::{plan, with_causes},
    status::status,
    world::{LookError, World},
};
use crate::{
    domain::{
        plan::Plan,
        status::{ShardStatus, StatusReport},
    },
    ports::{clock::Clock, store::StoreKind},
};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a count of unacknowledged messages may lag: the statistics of the broker and of the queue.
const STATISTICS_LAG: Duration = Duration::from_secs(12);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The plan is empty.
    Applied,
    /// Every shard queue of the file's generation is empty, with nothing unacknowledged.
    Drained,
}

/// How waiting ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Waited {
    /// The goal is reached.
    Reached,
    /// Asked to stop before; what was still missing at the last look.
    Stopped(Vec<String>),
}

/// Looks again and again until `goal` is reached or `stop` turns true. `tell` gets what is missing whenever
/// that changes.
///
/// # Errors
/// Waiting will not help: a login is refused, a file or answer makes no sense.
pub async fn wait(
    world: &World<'_>,
    goal: Goal,
    clock: &dyn Clock,
    mut stop: watch::Receiver<bool>,
    mut tell: impl FnMut(&[String]),
) -> Result<Waited, LookError> {
    let mut told = Vec::new();
    let mut empty_since = None;
    loop {
        let missing = tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return Ok(Waited::Stopped(told)),
            missing = look(world, goal, clock, &mut empty_since) => missing?,
        };
        if missing.is_empty() {
            return Ok(Waited::Reached);
        }
        if missing != told {
            tell(&missing);
            told = missing;
        }
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return Ok(Waited::Stopped(told)),
            () = clock.sleep(LOOK_EVERY) => {}
        }
    }
}

/// What is missing.
async fn look(
    world: &World<'_>,
    goal: Goal,
    clock: &dyn Clock,
    empty_since: &mut Option<Duration>,
) -> Result<Vec<String>, LookError> {
    let looked = match goal {
        Goal::Applied => plan(world).await.map(|plan| differing(&plan)),
        Goal::Drained => status(world).await.map_err(LookError::from).map(|report| filled(&report)),
    };
    match looked {
        Ok(missing) if goal == Goal::Drained && missing.is_empty() => {
            let now = clock.elapsed();
            let lasts = now.saturating_sub(*empty_since.get_or_insert(now)) >= STATISTICS_LAG;
            let waiting = "empty; looking whether it stays so until the statistics have caught up".to_owned();
            Ok(if lasts { Vec::new() } else { vec![waiting] })
        }
        Ok(missing) => {
            *empty_since = None;
            Ok(missing)
        }
        Err(error) if is_away(&error) => {
            *empty_since = None;
            Ok(vec![with_causes(&error)])
        }
        Err(error) => Err(error),
    }
}

fn is_away(error: &LookError) -> bool {
    match error {
        LookError::Broker(error) => error.kind.is_retryable(),
        LookError::Store { source, .. } => source.kind == StoreKind::Unreachable,
    }
}

fn differing(plan: &Plan) -> Vec<String> {
    let red = plan.changes.iter().filter(|change| !change.is_informational());
    red.map(|change| format!("{} {} {}", change.action.as_str(), change.kind.as_str(), change.name)).collect()
}

fn filled(report: &StatusReport) -> Vec<String> {
    report.shards.iter().filter_map(undrained).collect()
}

/// Without a consumer nothing can be unacknowledged; with one, only the management API tells.
fn undrained(shard: &ShardStatus) -> Option<String> {
    let queue = &shard.queue;
    match (shard.exists, shard.ready, shard.unacked, shard.consumers) {
        (false, ..) => Some(format!("queue {queue} does not exist")),
        (_, 1.., ..) => Some(format!("queue {queue} holds {} messages", shard.ready)),
        (_, _, Some(unacked @ 1..), _) => {
            Some(format!("queue {queue} has {unacked} messages unacknowledged"))
        }
        (_, _, None, 1..) => Some(format!(
            "queue {queue} is consumed, and without the management API unacknowledged messages can't be seen"
        )),
        _ => None,
    }
}
