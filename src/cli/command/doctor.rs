//! `topo doctor`: what the topology depends on, and how it is. Changes nothing.

use crate::{
    cli::{args::DoctorArgs, context::Process, exit::Exit, failure::Failure, view},
    domain::doctor::{Diagnosis, Status},
    flows::doctor::{Patients, doctor},
    ports::health::StoreHealth,
};

/// Looks at everything.
///
/// # Errors
/// The files have problems. What is wrong elsewhere is in the report.
pub(super) async fn run(process: &Process, args: &DoctorArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let health = project.store_health()?;
    let health: Vec<&dyn StoreHealth> = health.iter().map(AsRef::as_ref).collect();
    let patients =
        Patients { management: sights.broker_health(), stores: &health, clock: process.clock.as_ref() };
    let diagnosis = doctor(&sights.world(&project.topology, &stores), &patients, &args.roles).await;
    sights.close().await;
    process.output.either(|| view::doctor::text(&diagnosis), || view::doctor::json(&diagnosis))?;
    Ok(verdict(&diagnosis, args.strict))
}

fn verdict(diagnosis: &Diagnosis, strict: bool) -> Exit {
    if diagnosis.unreachable() {
        Exit::Unreachable
    } else if !diagnosis.healthy() || strict && diagnosis.count(Status::Warning) > 0 {
        Exit::No
    } else {
        Exit::Done
    }
}
