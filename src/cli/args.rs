//! The arguments: doc comments here are the help text.
//!
//! No logic beyond turning one argument into one value. What an argument means for a topology (whether
//! the shard exists, which consumer is meant) is found by the commands.

mod operate;
mod topology;

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

pub use self::{
    operate::{DoctorArgs, PermissionsArgs},
    topology::{ApplyArgs, DestroyArgs, ImportArgs, PlanArgs},
};
use super::shards::ShardList;
use crate::{
    domain::{lint, version::BrokerVersion},
    spec::duration,
};

/// Per-key order, no loss and effects exactly once on RabbitMQ, with parallelism.
///
/// Reads topology.yaml, makes the exchange, queues and tables it describes, publishes with confirms and
/// consumes idempotently, one thread of control per shard.
#[derive(Debug, Parser)]
#[command(name = "topo", version, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, or nothing to do; 1 failed; 2 bad usage or invalid file; 3 the answer is \
no (changes pending, unhealthy, some items failed); 4 broker or store unreachable; 5 refused for safety; \
130 interrupted after a clean drain.";

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The topology file; consumers/ is looked for next to it
    #[arg(
        short,
        long,
        global = true,
        value_name = "FILE",
        default_value = "topology.yaml",
        env = "TOPO_FILE"
    )]
    pub file: PathBuf,
    /// Form of the result on standard output
    #[arg(short, long, global = true, value_enum, default_value_t = OutputFormat::Text, env = "TOPO_OUTPUT")]
    pub output: OutputFormat,
    /// Only warnings and errors on standard error, no progress bar
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// One log line per message; twice: the client libraries' events too
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Form of the log lines on standard error
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t = OutputFormat::Text, env = "TOPO_LOG_FORMAT")]
    pub log_format: OutputFormat,
    /// No colours; the variable NO_COLOR does the same
    #[arg(long, global = true)]
    pub no_color: bool,
    /// Answer yes to every question
    #[arg(long, global = true)]
    pub yes: bool,
    /// Give up, or stop cleanly, after this long, such as 30s or 5m
    #[arg(long, global = true, value_name = "DURATION", value_parser = positive)]
    pub timeout: Option<Duration>,
}

/// A form of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented topology.yaml, a consumer with schema and cases, and sample events
    Init(InitArgs),
    /// Judge everything that can be judged offline, and replay the consumers' cases
    Check(CheckArgs),
    /// Show the difference between file, broker and store; changes nothing
    ///
    /// Exit code 3 when changes are pending.
    Plan(PlanArgs),
    /// Show the same plan, ask, and make it so; a second apply changes nothing
    Apply(ApplyArgs),
    /// Delete what the topology owns: bindings, queues, exchange and policy; its store stays
    ///
    /// Shown and asked like apply. Refuses while messages remain or consumers are attached.
    Destroy(DestroyArgs),
    /// Write a topology.yaml from a live exchange and its queues; changes nothing there
    ///
    /// Its plan is empty. Exit code 3 when something can't be expressed; every reason is listed.
    Import(ImportArgs),
    /// Show hash, shard, routing key and queues of ordering keys
    Route(RouteArgs),
    /// Publish JSON Lines with confirms, in order per key
    ///
    /// Exit code 3 when some lines were not confirmed; the report names them.
    Publish(PublishArgs),
    /// Consume shards, one thread of control each, effects exactly once
    Consume(ConsumeArgs),
    /// Wait until the topology is applied or drained, at most for --timeout; changes nothing
    ///
    /// Exit code 3 when it did not come in time. A broker that is away is waited for.
    Wait(WaitArgs),
    /// Show messages, owners and health of every shard
    Status(StatusArgs),
    /// Show what the topology depends on and how it is: broker, cluster, rights, store, clocks; changes nothing
    ///
    /// Exit code 3 when something is wrong, 4 when broker or store does not answer.
    Doctor(DoctorArgs),
    /// Print the users with the least permissions that each role needs; contacts nothing
    Permissions(PermissionsArgs),
    /// Print the JSON schema of topology.yaml
    Schema(SchemaArgs),
    /// Say what an error code means and what to do
    Explain(ExplainArgs),
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Where to write; made when missing
    #[arg(default_value = ".")]
    pub dir: PathBuf,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print the topology with every default filled in
    #[arg(long)]
    pub expanded: bool,
    /// Judge for this version of RabbitMQ, such as 4.3; without it for broker.version of the file, else
    /// for every version from 3.10 to 4.3
    #[arg(long, value_name = "VERSION", value_parser = broker_version)]
    pub broker_version: Option<BrokerVersion>,
    /// Judge the topology's objects in an export of definitions too: rabbitmqctl export_definitions FILE
    #[arg(long, value_name = "FILE", conflicts_with = "expanded")]
    pub definitions: Option<PathBuf>,
}

/// Arguments of `route`.
#[derive(Debug, Args)]
pub struct RouteArgs {
    /// Ordering keys; `-` reads them from standard input, one a line
    #[arg(value_name = "KEY", required_unless_present = "simulate")]
    pub keys: Vec<String>,
    /// Route the keys of a JSON Lines file and show the spread over the shards and the hottest keys
    #[arg(long, value_name = "FILE", conflicts_with = "keys")]
    pub simulate: Option<PathBuf>,
}

/// Arguments of `publish`.
#[derive(Debug, Args)]
pub struct PublishArgs {
    /// JSON Lines files, published in the order given; `-` or none: standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<OsString>,
}

/// Arguments of `consume`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub struct ConsumeArgs {
    /// The consumer; may be left out when the topology has exactly one
    pub consumer: Option<String>,
    /// Consume one shard
    #[arg(long, group = "which", value_name = "N")]
    pub shard: Option<u32>,
    /// Consume several shards, such as 0-3,7
    #[arg(long, group = "which", value_name = "LIST")]
    pub shards: Option<ShardList>,
    /// Consume every shard
    #[arg(long, group = "which")]
    pub all: bool,
    /// Stop when the queues are empty and everything is acknowledged
    #[arg(long)]
    pub until_empty: bool,
    /// Stop after this many messages
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_messages: Option<u64>,
    /// Stop when no message came for this long, such as 5s
    #[arg(long, value_name = "DURATION", value_parser = positive)]
    pub idle_timeout: Option<Duration>,
}

/// Arguments of `wait`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("goal").required(true))]
pub struct WaitArgs {
    /// Until `topo plan` shows no difference
    #[arg(long, group = "goal")]
    pub applied: bool,
    /// Until every shard queue is empty, with nothing unacknowledged, and stays so for 12 s
    #[arg(long, group = "goal")]
    pub drained: bool,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Exit with code 3 when unhealthy
    #[arg(long)]
    pub check: bool,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Print the schema of consumer.yaml instead
    #[arg(long)]
    pub consumer: bool,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code such as TOPO0102, 0102 or 102
    pub code: String,
}

fn broker_version(text: &str) -> Result<BrokerVersion, String> {
    lint::supported(text).ok_or_else(|| "expected a version of RabbitMQ from 3.10 on, such as 4.3".to_owned())
}

fn positive(text: &str) -> Result<Duration, String> {
    match duration::parse(text) {
        Ok(duration) if duration.is_zero() => Err("the duration must be longer than zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(error.to_string()),
    }
}
