//! `topo plan`: the difference between file, broker and store. Changes nothing.

use crate::{
    cli::{args::PlanArgs, context::Process, exit::Exit, failure::Failure, saved, view},
    domain::saved::SavedPlan,
    flows,
};

/// Plans.
///
/// # Errors
/// Broker or store can't be seen, or the plan can't be saved.
pub(super) async fn run(process: &Process, args: &PlanArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let world = sights.world(&project.topology, &stores);
    let plan = match args.prune {
        true => flows::plan::plan_pruning(&world).await,
        false => flows::plan::plan(&world).await,
    };
    sights.close().await;
    let plan = plan?;
    if let Some(path) = &args.out {
        saved::write(path, &SavedPlan::of(&project.topology, &plan, args.prune))?;
    }
    process.output.either(
        || view::plan::text(project.topology.name.as_str(), &plan),
        || view::plan::json(&plan, None),
    )?;
    Ok(if plan.is_empty() { Exit::Done } else { Exit::No })
}
