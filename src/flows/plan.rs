//! Looks at broker and stores and computes the plan. Changes nothing.

use super::world::{LookError, World};
use crate::domain::{
    diff::diff,
    observed::Observed,
    plan::Plan,
    stores::{ScriptObserved, StoreObserved, StoreUse, stores},
    topology::Topology,
};
use crate::ports::store::Store;

/// The difference between file and world.
///
/// The management API shows more than AMQP; when it can't be used the look is made through AMQP alone and
/// the plan says so.
///
/// # Errors
/// Neither way shows the broker, or a store can't be seen.
pub async fn plan(world: &World<'_>) -> Result<Plan, LookError> {
    let (observed, excuse) = observe(world).await?;
    let mut found = Vec::new();
    for (target, store) in stores(world.topology).iter().zip(world.stores) {
        let seen = observe_store(world.topology, target, *store).await;
        found.push(seen.map_err(|source| LookError::Store { label: target.label(), source })?);
    }
    let mut plan = diff(world.topology, &observed, &found);
    plan.unchecked.extend(excuse);
    Ok(plan)
}

async fn observe(world: &World<'_>) -> Result<(Observed, Option<String>), LookError> {
    let mut excuse = None;
    if let Some(management) = world.management {
        match management.observe(world.topology).await {
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
