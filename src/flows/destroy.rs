//! Takes a topology away: looks, unbinds, counts again, deletes.
//!
//! Bindings go first, so that producers get returns instead of confirms for messages that would be deleted.
//! Every step can be repeated; a run that was stopped half-way is simply run again. The stores are not
//! touched.
//!
//! Invariant: plan-is-what-runs.

use std::{collections::BTreeMap, time::Duration};

use super::{
    apply::{PARALLEL, StepError, run},
    parallel::each,
    plan::{observe, with_causes},
    status::merge,
    world::{LookError, World},
};
use crate::{
    domain::{
        desired::Desired,
        observed::QueueStats,
        plan::{ApprovedPlan, Step},
        teardown::{QueueCount, Refusal, Teardown, forbids, teardown},
    },
    ports::{
        clock::Clock,
        link::{LinkError, LinkKind},
    },
};

/// How long statistics of the management API may lag; the broker's interval is 5 s, and queues have one of
/// their own.
const STATISTICS_LAG: Duration = Duration::from_secs(12);
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Why a destroy did not end.
#[derive(Debug, thiserror::Error)]
pub enum DestroyError {
    /// A step failed; those before it are done.
    #[error("step {} of {total} failed: {what}", done + 1)]
    Step {
        /// Steps that are done.
        done: usize,
        /// Steps in all.
        total: usize,
        /// The failed step, as a sentence.
        what: String,
        /// Why.
        #[source]
        source: StepError,
    },
    /// Messages or consumers came after the first look; nothing more is deleted.
    #[error("stopped after {done} of {total} steps: {refusal}")]
    Refused {
        /// Steps that are done: the bindings, and queues that were empty.
        done: usize,
        /// Steps in all.
        total: usize,
        /// What came.
        refusal: Refusal,
        /// The counts.
        counts: Vec<QueueCount>,
    },
    /// The queues can't be counted again, or the result can't be seen.
    #[error("stopped after {done} steps: the broker can't be seen any more")]
    Look {
        /// Steps that are done.
        done: usize,
        /// Why.
        #[source]
        source: LookError,
    },
    /// Every step is done, and still something of it is there.
    #[error("every step is done, and still {} things are there", .0.plan.changes.len())]
    Unsettled(Box<Teardown>),
}

/// What became of it.
#[derive(Debug)]
pub struct Destroyed {
    /// Steps that were done.
    pub steps: usize,
    /// Whether the exchange stays because others use it.
    pub exchange_in_use: bool,
}

/// What would be deleted, what stays, and what forbids it. Changes nothing.
///
/// # Errors
/// The broker can't be seen.
pub async fn look(world: &World<'_>, clock: &dyn Clock, discard: bool) -> Result<Teardown, LookError> {
    let (observed, mut excuses) =
        observe(world).await.map(|(observed, excuse)| (observed, Vec::from_iter(excuse)))?;
    let desired = Desired::of(world.topology);
    let names = desired.queues.iter().chain(&desired.dead_letters).map(|queue| &queue.name);
    let names: Vec<_> = names.filter(|name| observed.queues.contains_key(*name)).cloned().collect();
    let (counts, excuse) = settled(world, clock, &names).await?;
    excuses.extend(excuse);
    let mut down = teardown(world.topology, &observed, counts, discard);
    down.plan.unchecked.extend(excuses);
    Ok(down)
}

/// Runs `approved`, steps whose order does not matter side by side. `progress` is told after each step: steps
/// done, steps in all, and the step.
///
/// # Errors
/// See [`DestroyError`]; it is always safe to run again.
pub async fn destroy(
    world: &World<'_>,
    clock: &dyn Clock,
    approved: &ApprovedPlan,
    mut progress: impl FnMut(usize, usize, &Step),
) -> Result<Destroyed, DestroyError> {
    let (unbind, rest): (Vec<_>, Vec<_>) =
        approved.plan().steps().partition(|step| matches!(step, Step::Unbind { .. }));
    let total = unbind.len() + rest.len();
    let name = |step: &&Step| match step {
        Step::DeleteQueue { name, .. } => Some(name.clone()),
        _ => None,
    };
    let queues: Vec<String> = rest.iter().filter_map(name).collect();
    let discard = rest.iter().any(|step| matches!(step, Step::DeleteQueue { discard: true, .. }));
    let mut done = 0;
    let mut tell = |done: &mut usize, step: &Step| {
        *done += 1;
        progress(*done, total, step);
    };
    let result = each(unbind, PARALLEL, |step| run(world, step), |step| tell(&mut done, step)).await;
    result.map_err(|(step, source)| failed(done, total, step, source))?;
    // What came until the last binding was removed counts as well.
    again(world, clock, &queues, discard, (done, total)).await?;
    let mut exchange_in_use = false;
    // Dead-letter queues stay until every queue that names them is gone.
    let dead = Desired::of(world.topology).dead_letters;
    let is_dead = |step: &Step| matches!(step, Step::DeleteQueue { name, .. } if dead.iter().any(|queue| queue.name == *name));
    for batch in rest.chunk_by(|step, next| step.alongside(next) && is_dead(step) == is_dead(next)) {
        let steps = batch.iter().copied();
        let result = each(steps, PARALLEL, |step| run(world, step), |step| tell(&mut done, step)).await;
        match result {
            Ok(()) => {}
            Err((Step::DeleteExchange { .. }, error)) if is_precondition(&error) => exchange_in_use = true,
            Err((step @ Step::DeleteQueue { .. }, error)) if is_precondition(&error) => {
                again(world, clock, &queues, discard, (done, total)).await?;
                return Err(failed(done, total, step, error));
            }
            Err((step, error)) => return Err(failed(done, total, step, error)),
        }
    }
    let left =
        look(world, clock, discard).await.map_err(|source| DestroyError::Look { done: total, source })?;
    let expected = |step: &Step| exchange_in_use && matches!(step, Step::DeleteExchange { .. });
    if left.plan.changes.iter().filter_map(|change| change.step.as_ref()).any(|step| !expected(step)) {
        return Err(DestroyError::Unsettled(Box::new(left)));
    }
    let steps = total - usize::from(exchange_in_use);
    Ok(Destroyed { steps, exchange_in_use: exchange_in_use || left.exchange_in_use })
}

fn failed(done: usize, total: usize, step: &Step, source: StepError) -> DestroyError {
    DestroyError::Step { done, total, what: step.to_string(), source }
}

fn is_precondition(error: &StepError) -> bool {
    matches!(error, StepError::Broker(error) if error.kind == LinkKind::Precondition)
}

/// Counts again; refuses what the counts forbid.
async fn again(
    world: &World<'_>,
    clock: &dyn Clock,
    queues: &[String],
    discard: bool,
    (done, total): (usize, usize),
) -> Result<(), DestroyError> {
    let counted = settled(world, clock, queues).await;
    let (counts, _) = counted.map_err(|source| DestroyError::Look { done, source: source.into() })?;
    match forbids(&counts, discard) {
        Some(refusal) => Err(DestroyError::Refused { done, total, refusal, counts }),
        None => Ok(()),
    }
}

/// Counts of the queues that exist. A queue without consumers and ready messages whose statistics still show
/// unacknowledged ones is looked at again until they must have caught up.
async fn settled(
    world: &World<'_>,
    clock: &dyn Clock,
    queues: &[String],
) -> Result<(Vec<QueueCount>, Option<String>), LinkError> {
    let until = clock.elapsed() + STATISTICS_LAG;
    loop {
        let (counts, excuse) = count(world, queues).await?;
        let lags = |QueueStats { ready, unacked, consumers, .. }: &QueueStats| {
            (*ready, *consumers) == (0, 0) && unacked.is_some_and(|unacked| unacked > 0)
        };
        let holding = || counts.iter().filter(|count| count.messages() > 0);
        if holding().next().is_none()
            || !holding().all(|count| lags(&count.stats))
            || clock.elapsed() >= until
        {
            return Ok((counts, excuse));
        }
        clock.sleep(LOOK_EVERY).await;
    }
}

/// Ready messages and the presence of consumers are exact through AMQP; the rest comes from statistics.
async fn count(world: &World<'_>, queues: &[String]) -> Result<(Vec<QueueCount>, Option<String>), LinkError> {
    if queues.is_empty() {
        return Ok((Vec::new(), None));
    }
    let exact = world.amqp.stats(queues).await?;
    let (more, mut excuse) = match world.management {
        None => (BTreeMap::new(), Some("AMQP does not tell".to_owned())),
        Some(management) => match management.stats(queues).await {
            Ok(stats) => {
                (queues.iter().zip(stats).filter_map(|(name, stats)| Some((name, stats?))).collect(), None)
            }
            Err(error) => (BTreeMap::new(), Some(with_causes(&error))),
        },
    };
    let found = queues.iter().zip(exact).filter_map(|(name, exact)| Some((name, exact?)));
    let counts: Vec<_> = found
        .map(|(name, exact)| QueueCount { queue: name.clone(), stats: merge(exact, more.get(name).cloned()) })
        .collect();
    let unseen = counts.iter().filter(|count| count.stats.unacked.is_none()).count();
    if unseen > 0 && excuse.is_none() {
        excuse = Some("the management API has no figures yet".to_owned());
    }
    let said = excuse.filter(|_| unseen > 0).map(|why| {
        format!(
            "unacknowledged messages of {unseen} queues can't be seen ({why}); a queue without consumers has \
             none, unless somebody fetched messages one by one or cancelled and kept them"
        )
    });
    Ok((counts, said))
}
