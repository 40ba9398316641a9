//! Arguments of the commands that make a topology, compare it and take it away.

use std::path::PathBuf;

use clap::Args;

use crate::domain::{hash::HashKind, key::KeyRule};

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// Save the plan, for `topo apply FILE`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Delete orphans that are empty and unused too: queues of other generations or removed consumers
    #[arg(long)]
    pub prune: bool,
}

/// Arguments of `apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// A saved plan: run only if it is still the plan of now; does not ask
    #[arg(value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// Delete orphans that are empty and unused too; a saved plan says so itself
    #[arg(long, conflicts_with = "plan")]
    pub prune: bool,
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

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The exchange; its queues are those that it is bound to
    #[arg(long, value_name = "NAME")]
    pub exchange: String,
    /// Write to this file, which must not exist, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where the ordering key stands, which no broker knows: a JSON Pointer, or header:NAME [default: /key]
    #[arg(long, value_name = "POINTER", value_parser = KeyRule::parse)]
    pub key: Option<KeyRule>,
    /// Hash of the key, which no broker knows either [default: xxh64]
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub hash: Option<HashKind>,
}

fn hash(text: &str) -> Result<HashKind, String> {
    let known = HashKind::ALL.map(HashKind::as_str).join(", ");
    let found = HashKind::ALL.into_iter().find(|kind| kind.as_str() == text);
    found.ok_or_else(|| format!("the hashes are {known}"))
}
