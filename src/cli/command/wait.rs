//! `topo wait`: blocks until a topology is applied or drained, or `--timeout` is over. Changes nothing.

use crate::{
    cli::{args::WaitArgs, context::Process, exit::Exit, failure::Failure, signal::Cause, view},
    domain::code::Code,
    flows::wait::{Goal, Waited, wait},
    ports::observer::{Level, Observer as _},
};

/// Waits.
///
/// # Errors
/// Waiting will not help, or `--timeout` is over.
pub(super) async fn run(process: &Process, args: &WaitArgs) -> Result<Exit, Failure> {
    let project = process.project(true)?;
    let sights = project.sights()?;
    let stores = sights.stores();
    let stop = project.listen()?;
    let goal = if args.drained { Goal::Drained } else { Goal::Applied };
    let name = project.topology.name.as_str();
    let tell = |missing: &[String]| {
        let text = format!("waiting: {}", view::plan::few(missing.to_vec()).join("; "));
        project.watch.notice(Level::Info, None, &text);
    };
    let world = sights.world(&project.topology, &stores);
    let waited = wait(&world, goal, process.clock.as_ref(), stop.receiver(), tell).await;
    sights.close().await;
    match waited? {
        Waited::Reached => {
            let goal = if args.drained { "drained" } else { "applied" };
            process.output.either(|| format!("{name} is {goal}\n"), || view::wait::json(true, &[]))?;
            Ok(Exit::Done)
        }
        Waited::Stopped(missing) => {
            process.output.either(String::new, || view::wait::json(false, &missing))?;
            match stop.cause() {
                Some(Cause::Timeout) => {
                    let details = view::plan::few(missing);
                    let text = "what was waited for did not come within --timeout";
                    Err(Failure { details, ..Failure::new(Exit::No, Code::TimedOut, text) })
                }
                Some(Cause::Signal) | None => Ok(Exit::Interrupted),
            }
        }
    }
}
