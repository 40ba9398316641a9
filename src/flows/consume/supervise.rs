//! All shards of one process: start, watch the limits, stop together, add up.
//!
//! Invariant: drain-loses-nothing.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;

use super::{Ended, Error, Job, Outcome, shared::Shared, worker::Worker};
use crate::{domain::report::ConsumeReport, ports::observer::Level};

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Consumes the job's shards until a limit, a stop or a failure.
pub async fn run(job: Job) -> Outcome {
    let started = job.clock.elapsed();
    let job = Arc::new(job);
    let shared = Arc::new(Shared::new(job.limits.max_messages, started));
    let mut workers = JoinSet::new();
    for (shard, queue) in job.shards.clone() {
        let worker = Worker::new(Arc::clone(&job), Arc::clone(&shared), shard, queue);
        workers.spawn(async move { (shard, worker.run().await) });
    }
    let mut report = ConsumeReport::default();
    let mut ended = Ended::Complete;
    let mut stop = job.stop.clone();
    loop {
        tokio::select! {
            biased;
            joined = workers.join_next() => match joined {
                None => break,
                Some(Ok((shard, end))) => {
                    report.total.add(&end.counts);
                    report.per_shard.insert(shard, end.counts);
                    if let Some(reason) = end.blocked {
                        report.blocked.insert(shard, reason);
                    }
                    if let Err(error) = end.result {
                        fail(&job, &shared, &mut ended, error);
                    }
                }
                Some(Err(error)) => fail(&job, &shared, &mut ended, Error::Worker(error.to_string())),
            },
            changed = stop.wait_for(|stop| *stop), if !shared.halted() => {
                if changed.is_ok() {
                    ended = Ended::Interrupted;
                }
                shared.halt();
            }
            () = job.clock.sleep(TICK), if !shared.halted() => {
                let idle = shared.idle_for(job.clock.elapsed());
                if shared.spent() || job.limits.idle_timeout.is_some_and(|limit| idle >= limit) {
                    shared.halt();
                }
            }
        }
    }
    job.broker.close().await;
    report.elapsed = job.clock.elapsed().saturating_sub(started);
    Outcome { report, ended }
}

/// The first failure stops the other shards too: half a consumer hides its missing half.
fn fail(job: &Job, shared: &Shared, ended: &mut Ended, error: Error) {
    job.observer.notice(Level::Error, None, &format!("{error}, stopping the other shards"));
    shared.halt();
    if !matches!(ended, Ended::Failed(_)) {
        *ended = Ended::Failed(error);
    }
}
