//! `topo plan`: the difference between file, broker and store. Changes nothing.

use crate::{
    cli::{context::Process, exit::Exit, failure::Failure, view},
    flows,
};

/// Plans.
///
/// # Errors
/// Broker or store can't be seen.
pub(super) async fn run(process: &Process) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let plan = flows::plan::plan(&sights.world(&project.topology, &stores)).await;
    sights.close().await;
    let plan = plan?;
    process.output.either(
        || view::plan::text(project.topology.name.as_str(), &plan),
        || view::plan::json(&plan, None),
    )?;
    Ok(if plan.is_empty() { Exit::Done } else { Exit::No })
}
