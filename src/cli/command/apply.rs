//! `topo apply`: the same plan, shown, confirmed, run.
//!
//! Invariant: plan-is-what-runs (only the plan that was shown is approved).

use crate::{
    cli::{args::OutputFormat, context::Process, exit::Exit, failure::Failure, project::Project, view},
    domain::{
        code::Code,
        plan::{Action, ApprovedPlan, Plan},
    },
    flows::{
        apply::{ApplyError, StepError, apply},
        plan::plan,
        world::World,
    },
};

/// Applies.
///
/// # Errors
/// The plan can't be made, is refused, or fails half-way.
pub(super) async fn run(process: &Process) -> Result<Exit, Failure> {
    let project = process.project(true)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let result = work(&project, &sights.world(&project.topology, &stores)).await;
    sights.close().await;
    result
}

async fn work(project: &Project, world: &World<'_>) -> Result<Exit, Failure> {
    let Process { output, global, .. } = &project.process;
    let plan = plan(world).await?;
    show(project, &plan)?;
    let shown = plan.clone();
    let Some(approved) = plan.approve() else { return Err(refused(&shown)) };
    let steps = if shown.is_empty() && shown.ensure.is_empty() {
        0
    } else {
        let question = format!("Apply these changes to {}?", project.topology.name);
        if !shown.is_empty() && !global.yes && !output.confirm(&question)? {
            return Err(Failure::new(
                Exit::Refused,
                Code::ConfirmNeeded,
                "not confirmed; nothing was changed",
            ));
        }
        execute(project, world, &approved).await?
    };
    let done = match (shown.is_empty(), steps) {
        (true, 0) => "nothing to do\n".to_owned(),
        (true, _) => format!("nothing new; {steps} steps that can't be checked were made again\n"),
        (false, _) => format!("done: {steps} steps\n"),
    };
    output.either(|| done, || view::plan::json(&shown, Some(steps)))?;
    Ok(Exit::Done)
}

/// Shows the plan: as part of the result, or as talk when the result is one JSON document and somebody
/// has to be asked.
fn show(project: &Project, plan: &Plan) -> Result<(), Failure> {
    let Process { output, global, .. } = &project.process;
    let text = || view::plan::text(project.topology.name.as_str(), plan);
    match output.format {
        OutputFormat::Text => output.result(&text()),
        OutputFormat::Json => {
            if !global.yes && !plan.is_empty() {
                output.talk(&text());
            }
            Ok(())
        }
    }
}

async fn execute(project: &Project, world: &World<'_>, approved: &ApprovedPlan) -> Result<usize, Failure> {
    let mut steps = 0;
    let watch = &project.watch;
    let result = apply(world, approved, |done, total, _| {
        steps = total;
        watch.steps(done, total);
    })
    .await;
    watch.finish();
    match result {
        Ok(_) => Ok(steps),
        Err(error) => Err(Failure::from(&error)),
    }
}

/// What stands in the way: each object that would have to be made anew, with both values.
fn refused(plan: &Plan) -> Failure {
    let blocking = || plan.changes.iter().filter(|change| change.action == Action::Replace);
    let code = blocking().find_map(|change| change.hazard).unwrap_or(Code::Immutable);
    let text = match blocking().count() {
        1 => "an object can't be changed to what the file says; nothing was changed".to_owned(),
        count => format!("{count} objects can't be changed to what the file says; nothing was changed"),
    };
    let details = view::plan::differences(blocking());
    Failure { details, ..Failure::new(Exit::Refused, code, text) }
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
