//! One file per command: arguments to flow to view.

mod apply;
mod cases;
mod check;
mod consume;
mod definitions;
mod destroy;
mod doctor;
mod explain;
mod import;
mod init;
mod permissions;
mod plan;
mod publish;
mod route;
mod schema;
mod single_active;
mod status;
mod wait;

use std::sync::Arc;

use super::{
    args::{Cli, Command},
    context::Process,
    exit::Exit,
    failure::Failure,
    output::Output,
    signal::{Cause, Stop},
    timed_out,
};
use crate::ports::clock::Clock;

/// Runs the command.
///
/// # Errors
/// What the command could not do.
pub(super) async fn run(cli: &Cli, output: Output, clock: Arc<dyn Clock>) -> Result<Exit, Failure> {
    let process = Process { global: cli.global.clone(), output, clock };
    match &cli.command {
        Command::Init(args) => init::run(&process, args),
        Command::Check(args) => check::run(&process, args).await,
        Command::Plan(args) => plan::run(&process, args).await,
        Command::Apply(args) => apply::run(&process, args).await,
        Command::Destroy(args) => destroy::run(&process, args).await,
        Command::Wait(args) => wait::run(&process, args).await,
        Command::Import(args) => import::run(&process, args).await,
        Command::Route(args) => route::run(&process, args),
        Command::Publish(args) => publish::run(&process, args).await,
        Command::Consume(args) => consume::run(&process, args).await,
        Command::Status(args) => status::run(&process, args).await,
        Command::Doctor(args) => doctor::run(&process, args).await,
        Command::Permissions(args) => permissions::run(&process, args),
        Command::Schema(args) => schema::run(&process, args),
        Command::Explain(args) => explain::run(&process, args),
    }
}

/// The end of a run that was asked to stop and drained.
fn ended(stop: &Stop) -> Result<Exit, Failure> {
    match stop.cause() {
        Some(Cause::Timeout) => Err(timed_out()),
        Some(Cause::Signal) | None => Ok(Exit::Interrupted),
    }
}
