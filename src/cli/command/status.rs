//! `topo status`: messages, owners and health of every shard. Changes nothing.

use crate::{
    cli::{args::StatusArgs, context::Process, exit::Exit, failure::Failure, view},
    flows,
};

/// Looks.
///
/// # Errors
/// The broker can't be reached.
pub(super) async fn run(process: &Process, args: &StatusArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let report = flows::status::status(&sights.world(&project.topology, &stores)).await;
    sights.close().await;
    let report = report?;
    let now = process.clock.unix_ms();
    process.output.either(|| view::status::text(&report, now), || view::status::json(&report))?;
    Ok(if args.check && !report.healthy() { Exit::No } else { Exit::Done })
}
