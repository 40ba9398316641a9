//! Arguments of the commands that make a topology, compare it and take it away.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Save the plan, for `topo apply FILE`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// A saved plan: run only if it is still the plan of now; does not ask
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// Send a probe through every shard, not only through those that are bound now
    #[arg(long)]
    pub probe: bool,
    /// Send no probe at all
    #[arg(long, conflicts_with = "probe")]
    pub no_probe: bool,
}

/// Arguments of `destroy`.
#[derive(Debug, Args)]
pub struct DestroyArgs {
    /// Delete queues with the messages in them; asks for the topology's name
    #[arg(long)]
    pub discard_messages: bool,
    /// The topology's name, in place of the answer on a terminal; --yes does not replace it
    #[arg(long, value_name = "NAME", requires = "discard_messages")]
    pub confirm: Option<String>,
}
