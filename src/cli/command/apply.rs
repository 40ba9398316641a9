//! `topo apply`: the same plan, shown, confirmed, run.
//!
//! Invariant: plan-is-what-runs (only the plan that was shown, or saved and still is the plan, is approved).

use crate::{
    cli::{
        args::{ApplyArgs, OutputFormat},
        context::Process,
        exit::Exit,
        failure::Failure,
        project::Project,
        saved, view,
    },
    domain::{
        code::Code,
        plan::{ApprovedPlan, Plan},
        probe::RoutingProof,
        saved::SavedPlan,
    },
    flows::{
        apply::{ApplyError, StepError, apply},
        plan::{plan, plan_pruning},
        probe::{ProbeError, bound_by, prove},
        world::World,
    },
};

/// Applies.
///
/// # Errors
/// The plan can't be made, is refused, or fails half-way.
pub(super) async fn run(process: &Process, args: &ApplyArgs) -> Result<Exit, Failure> {
    let agreed = args.plan.as_deref().map(saved::read).transpose()?;
    let project = process.project(true)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let world = sights.world(&project.topology, &stores);
    let result = work(&project, &world, agreed.as_ref(), args.prune).await;
    let result = match result {
        Ok((plan, left)) if args.no_probe => finish(&project, &plan, &left, &RoutingProof::default()),
        Ok((plan, left)) => {
            let bound = bound_by(&world, &plan);
            let shards = if args.probe { (0..project.topology.shards.count).collect() } else { bound };
            match prove(&world, sights.probes(), project.process.clock.as_ref(), &shards).await {
                Ok(proof) => finish(&project, &plan, &left, &proof),
                Err(error) => Err(Failure::from(&error)),
            }
        }
        Err(failure) => Err(failure),
    };
    sights.close().await;
    result
}

/// Gives the plan that was run, and what is left.
async fn work(
    project: &Project,
    world: &World<'_>,
    agreed: Option<&SavedPlan>,
    prune: bool,
) -> Result<(Plan, Plan), Failure> {
    let Process { output, global, .. } = &project.process;
    let plan = match agreed.map_or(prune, |agreed| agreed.prune) {
        true => plan_pruning(world).await?,
        false => plan(world).await?,
    };
    if let Some(agreed) = agreed {
        still_so(project, agreed, &plan)?;
    }
    let asks = agreed.is_none() && !global.yes && plan.has_work();
    show(project, &plan, asks)?;
    let shown = plan.clone();
    let Some(approved) = plan.approve() else { return Err(refused(&shown)) };
    let question = format!("Apply these changes to {}?", project.topology.name);
    if asks && !output.confirm(&question)? {
        let text = "not confirmed; nothing was changed";
        return Err(Failure::new(Exit::Refused, Code::ConfirmNeeded, text));
    }
    let steps = shown.steps().count();
    let left = if steps == 0 { shown.clone() } else { execute(project, world, &approved).await? };
    Ok((shown, left))
}

fn finish(project: &Project, plan: &Plan, left: &Plan, proof: &RoutingProof) -> Result<Exit, Failure> {
    let text = || view::plan::done(plan, left) + &view::probe::text(proof);
    let json = || view::plan::applied(plan, plan.steps().count(), proof);
    project.process.output.either(text, json)?;
    // What is left is not ours to mend: apply did all that it could, and the topology is not as it should be.
    Ok(if left.is_empty() { Exit::Done } else { Exit::No })
}

/// Refuses a saved plan that is not the plan of now.
fn still_so(project: &Project, agreed: &SavedPlan, plan: &Plan) -> Result<(), Failure> {
    let details = agreed.differences(&SavedPlan::of(&project.topology, plan, agreed.prune));
    if details.is_empty() {
        return Ok(());
    }
    let text = "the saved plan is not what would be done now; nothing was changed";
    Err(Failure { details: view::plan::few(details), ..Failure::new(Exit::Refused, Code::PlanStale, text) })
}

/// Shows the plan: as part of the result, or as talk when the result is one JSON document and somebody
/// has to be asked.
fn show(project: &Project, plan: &Plan, asks: bool) -> Result<(), Failure> {
    let Process { output, .. } = &project.process;
    let text = || view::plan::to_do(project.topology.name.as_str(), plan);
    match output.format {
        OutputFormat::Text => output.result(&text()),
        OutputFormat::Json => {
            if asks {
                output.talk(&text());
            }
            Ok(())
        }
    }
}

/// Gives what is left.
async fn execute(project: &Project, world: &World<'_>, approved: &ApprovedPlan) -> Result<Plan, Failure> {
    let watch = &project.watch;
    let result = apply(world, approved, |done, total, step| watch.step(done, total, step)).await;
    watch.finish();
    result.map_err(|error| Failure::from(&error))
}

/// What stands in the way: each object that would have to be made anew, with both values.
fn refused(plan: &Plan) -> Failure {
    let blocking = || plan.changes.iter().filter(|change| change.is_refusal());
    let code = blocking().find_map(|change| change.hazard).unwrap_or(Code::Immutable);
    let text = match blocking().count() {
        _ if code == Code::ArgumentHazard => {
            "the broker would not take an argument of the file as it is meant; nothing was changed".to_owned()
        }
        1 => "an object can't be changed to what the file says; nothing was changed".to_owned(),
        count => format!("{count} objects can't be changed to what the file says; nothing was changed"),
    };
    let details = view::plan::differences(blocking());
    Failure { details, ..Failure::new(Exit::Refused, code, text) }
}

impl From<&ProbeError> for Failure {
    fn from(error: &ProbeError) -> Self {
        let details = vec!["every step of the plan is done".to_owned()];
        let failure = match error {
            ProbeError::Link { source, .. } => Self::from(source).below(error),
            ProbeError::Unproven { .. } => Self::of(Exit::Failed, Code::RoutingUnproven, error),
        };
        Self { details, ..failure }
    }
}

impl From<&ApplyError> for Failure {
    fn from(error: &ApplyError) -> Self {
        match error {
            ApplyError::Step { done, total, source, .. } => {
                let below = match source {
                    StepError::Broker(link) => Self::from(link),
                    StepError::Store(store) => Self::from(store),
                    StepError::Stale => Self::of(Exit::Failed, Code::Internal, source),
                };
                let left = total.saturating_sub(*done);
                let details = vec![format!("done: {done} steps, left: {left} steps")];
                Self { details, ..below.below(error) }
            }
            ApplyError::Look(look) => Self::from(look).below(error),
            ApplyError::Unsettled(plan) => {
                let details = view::plan::differences(&plan.changes);
                Self { details, ..Self::of(Exit::Failed, Code::Exposed, error) }
            }
        }
    }
}
