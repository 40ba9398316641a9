//! The only layer that prints, reads the environment or exits.
//!
//! [`main`] goes from arguments through [`context`] to a command, which goes from arguments through a
//! flow to a view. No decision lives here that a user of the library would miss.
//!
//! Invariant: stdout-is-data.

pub mod args;
pub mod cases;
pub mod command;
pub mod context;
pub mod exit;
pub mod failure;
pub mod input;
pub mod output;
pub mod progress;
pub mod project;
pub mod saved;
pub mod shards;
pub mod signal;
pub mod view;

use std::{process::ExitCode, sync::Arc, thread};

use clap::{Parser as _, error::ErrorKind};

use crate::{adapters::clock::SystemClock, domain::code::Code, ports::clock::Clock};
use args::{Cli, Command, Global};
use exit::Exit;
use failure::Failure;
use output::Output;

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error).into(),
    };
    let output = Output::new(cli.global.output, cli.global.no_color);
    let exit = run(&cli, output).unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit
    });
    exit.into()
}

fn run(cli: &Cli, output: Output) -> Result<Exit, Failure> {
    // Two at least: a worker that waits for a slow disk must not hold up heartbeats.
    let workers = thread::available_parallelism().map_or(2, usize::from).max(2);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .map_err(|error| Failure::of(Exit::Failed, Code::Internal, &error))?;
    let result = runtime.block_on(within(cli, output));
    // Whatever still runs is a thread that waits for input nobody wants any more.
    runtime.shutdown_background();
    result
}

/// Runs the command, at most for `--timeout`; commands that drain look after that themselves.
async fn within(cli: &Cli, output: Output) -> Result<Exit, Failure> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let work = Box::pin(command::run(cli, output, Arc::clone(&clock)));
    match limit(&cli.command, &cli.global) {
        None => work.await,
        Some(limit) => tokio::select! {
            biased;
            result = work => result,
            () = clock.sleep(limit) => Err(timed_out()),
        },
    }
}

fn limit(command: &Command, global: &Global) -> Option<std::time::Duration> {
    match command {
        Command::Publish(_) | Command::Consume(_) | Command::Wait(_) => None,
        Command::Init(_)
        | Command::Check(_)
        | Command::Plan(_)
        | Command::Apply(_)
        | Command::Destroy(_)
        | Command::Import(_)
        | Command::Route(_)
        | Command::Status(_)
        | Command::Doctor(_)
        | Command::Permissions(_)
        | Command::Schema(_)
        | Command::Explain(_) => global.timeout,
    }
}

fn timed_out() -> Failure {
    Failure::new(Exit::Failed, Code::TimedOut, "not finished within --timeout")
}

/// What the parser has to say: help and version are results, everything else is bad usage.
fn usage(error: &clap::Error) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that went away is a quiet success.
            drop(error.print());
            Exit::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            drop(error.print());
            Exit::Usage
        }
        _ => {
            let text = error.render().ansi().to_string();
            let named = text.replacen("error:", &format!("error[{}]:", Code::Usage), 1);
            Output::new(args::OutputFormat::Text, false).talk(&named);
            Exit::Usage
        }
    }
}
