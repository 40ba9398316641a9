//! Looks at broker and stores and computes the plan. Changes nothing.

use super::world::{LookError, World};
use crate::domain::{
    diff::diff,
    observed::{Observed, Sight},
    plan::Plan,
    prune::prune,
    stores::{ScriptObserved, StoreObserved, StoreUse, stores},
    topology::Topology,
};
use crate::ports::store::Store;

/// What a look at the world showed.
#[derive(Debug, Clone)]
pub struct Look {
    /// The broker.
    pub observed: Observed,
    /// The stores, in the order of the world's.
    pub stores: Vec<StoreObserved>,
    /// Why the look was made through AMQP alone although it was to be made otherwise.
    pub excuse: Option<String>,
}

/// Looks at broker and stores.
///
/// The management API shows more than AMQP; when it can't be used the look is made through AMQP alone. A
/// broker that can't be reached through AMQP is not seen at all: everybody else will use AMQP.
///
/// # Errors
/// The broker can't be reached, or a store can't be seen.
pub async fn look(world: &World<'_>) -> Result<Look, LookError> {
    let (observed, excuse) = observe(world).await?;
    let mut found = Vec::new();
    for (target, store) in stores(world.topology).iter().zip(world.stores) {
        let seen = observe_store(world.topology, target, *store).await;
        found.push(seen.map_err(|source| LookError::Store { label: target.label(), source })?);
    }
    Ok(Look { observed, stores: found, excuse })
}

/// The difference between file and world.
///
/// # Errors
/// See [`look`].
pub async fn plan(world: &World<'_>) -> Result<Plan, LookError> {
    Ok(look(world).await?.plan(world.topology))
}

/// The same, with the deletion of orphans that are empty and unused.
///
/// # Errors
/// See [`look`].
pub async fn plan_pruning(world: &World<'_>) -> Result<Plan, LookError> {
    let look = look(world).await?;
    let mut plan = look.plan(world.topology);
    match look.observed.sight {
        Sight::Management => prune(world.topology, &look.observed, &mut plan),
        Sight::Amqp => {
            plan.unchecked.push("orphans can't be seen through AMQP alone: none is pruned".to_owned())
        }
    }
    Ok(plan)
}

impl Look {
    /// The difference between `topology` and what was seen.
    #[must_use]
    pub fn plan(&self, topology: &Topology) -> Plan {
        let mut plan = diff(topology, &self.observed, &self.stores);
        plan.unchecked.extend(self.excuse.clone());
        plan
    }
}

pub(super) async fn observe(world: &World<'_>) -> Result<(Observed, Option<String>), LookError> {
    let mut excuse = None;
    if let Some(management) = world.management {
        let (seen, reached) = tokio::join!(management.observe(world.topology), world.amqp.reach());
        reached?;
        match seen {
            Ok(observed) => return Ok((observed, None)),
            Err(error) => excuse = Some(format!("seen through AMQP alone: {}", with_causes(&error))),
        }
    }
    Ok((world.amqp.observe(world.topology).await?, excuse))
}

async fn observe_store(
    topology: &Topology,
    target: &StoreUse<'_>,
    store: &dyn Store,
) -> Result<StoreObserved, crate::ports::store::StoreError> {
    let seen = store.observe().await?;
    let mut scripts = Vec::new();
    for consumer in &target.consumers {
        let Some(script) = &consumer.schema else { continue };
        let name = consumer.name.as_str();
        // Without tables there is no record of what was run; newer tables may be of another shape.
        let found = if seen.version == Some(seen.wanted) { store.schema_digest(name).await? } else { None };
        scripts.push(ScriptObserved {
            consumer: name.to_owned(),
            path: script.path.display().to_string(),
            wanted: script.digest(),
            found,
        });
    }
    let rule = match seen.version == Some(seen.wanted) {
        true => store.shard_rule(topology.name.as_str(), topology.shards.generation).await?,
        false => None,
    };
    Ok(StoreObserved { label: target.label(), version: seen.version, wanted: seen.wanted, rule, scripts })
}

/// An error with its causes in one line.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
