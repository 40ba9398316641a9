//! Runs an approved plan step by step, then looks again.
//!
//! Every step can be repeated, so an apply that failed half-way is simply run again. Bindings come last: a
//! half-made topology receives nothing.
//!
//! Invariant: plan-is-what-runs.

use super::{
    parallel::each,
    plan::plan,
    world::{LookError, World},
};
use crate::{
    domain::{
        plan::{Action, ApprovedPlan, Plan, Step},
        rule::ShardRule,
        stores::stores,
    },
    ports::{link::LinkError, store::StoreError},
};

/// Steps in flight: hides the round trips of a distant broker and lets one sync of its disk serve several
/// queues.
pub(super) const PARALLEL: usize = 16;

/// Why an apply did not end with an empty plan.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
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
    /// Every step is done, but the second look failed.
    #[error("every step is done, but the result can't be seen")]
    Look(#[source] LookError),
    /// Every step is done, and the world still differs from the file.
    #[error("every step is done, and still {} things differ", .0.changes.len() - .0.count(Action::Foreign))]
    Unsettled(Box<Plan>),
}

/// Why a step failed.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The broker refused it or is gone.
    #[error(transparent)]
    Broker(#[from] LinkError),
    /// The store refused it or is gone.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The plan was made for another topology.
    #[error("the plan does not belong to this topology")]
    Stale,
}

/// Runs `approved` and gives the plan of the second look: empty, but for what is foreign.
///
/// Steps whose order does not matter run side by side. `progress` is told after each step: steps done, steps
/// in all, and the step.
///
/// # Errors
/// See [`ApplyError`]; it is always safe to run again.
pub async fn apply(
    world: &World<'_>,
    approved: &ApprovedPlan,
    mut progress: impl FnMut(usize, usize, &Step),
) -> Result<Plan, ApplyError> {
    let steps: Vec<_> = approved.plan().steps().collect();
    let total = steps.len();
    let failed = |done, what: String, source| ApplyError::Step { done, total, what, source };
    let mut recorded = false;
    let mut done = 0;
    for batch in steps.chunk_by(|step, next| step.alongside(next)) {
        // Before the first binding: once messages can arrive, the rule that routes them must be on record,
        // also when this apply is killed half-way.
        if !recorded && batch.iter().any(|step| matches!(step, Step::Binding { .. })) {
            record_rule(world).await.map_err(|e| failed(done, RECORDING.to_owned(), e.into()))?;
            recorded = true;
        }
        let limit = if batch.len() > 1 { PARALLEL } else { 1 };
        let tell = |step: &Step| {
            done += 1;
            progress(done, total, step);
        };
        let result = each(batch.iter().copied(), limit, |step| run(world, step), tell).await;
        result.map_err(|(step, source)| failed(done, step.to_string(), source))?;
    }
    if !recorded {
        record_rule(world).await.map_err(|e| failed(total, RECORDING.to_owned(), e.into()))?;
    }
    let left = plan(world).await.map_err(ApplyError::Look)?;
    if left.has_work() { Err(ApplyError::Unsettled(Box::new(left))) } else { Ok(left) }
}

/// The step that has no line in the plan: nothing differs by it.
const RECORDING: &str = "record the shard rule";

/// The first apply of a generation fixes its rule; a plan with another one is refused before it gets here.
async fn record_rule(world: &World<'_>) -> Result<(), StoreError> {
    let topology = world.topology;
    for store in world.stores {
        let rule = ShardRule::of(topology);
        store.record_shard_rule(topology.name.as_str(), topology.shards.generation, &rule).await?;
    }
    Ok(())
}

pub(super) async fn run(world: &World<'_>, step: &Step) -> Result<(), StepError> {
    match step {
        Step::Exchange { .. }
        | Step::Queue { .. }
        | Step::Binding { .. }
        | Step::Unbind { .. }
        | Step::DeleteQueue { .. }
        | Step::DeleteExchange { .. } => world.amqp.execute(step).await?,
        Step::Policy { .. } | Step::DeletePolicy { .. } => {
            world.management.ok_or(StepError::Stale)?.execute(step).await?;
        }
        Step::Tables { store } => world.stores.get(*store).ok_or(StepError::Stale)?.migrate().await?,
        Step::Schema { store, consumer: name } => {
            let uses = stores(world.topology);
            let target = uses.get(*store).ok_or(StepError::Stale)?;
            let store = world.stores.get(*store).ok_or(StepError::Stale)?;
            let consumer = target.consumers.iter().find(|consumer| consumer.name.as_str() == name);
            let script = consumer.and_then(|consumer| consumer.schema.as_ref()).ok_or(StepError::Stale)?;
            store.run_schema(name, script).await?;
        }
    }
    Ok(())
}

impl ApplyError {
    /// The kind of broker failure behind it, when it is one.
    #[must_use]
    pub fn link(&self) -> Option<&LinkError> {
        match self {
            Self::Step { source: StepError::Broker(error), .. } | Self::Look(LookError::Broker(error)) => {
                Some(error)
            }
            Self::Step { .. } | Self::Look(_) | Self::Unsettled(_) => None,
        }
    }
}
