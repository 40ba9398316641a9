//! `topo schema`: the JSON schema of the files, for editors.

use crate::{
    cli::{args::SchemaArgs, context::Process, exit::Exit, failure::Failure, view},
    spec,
};

/// Prints the schema; it is JSON in both forms of output.
///
/// # Errors
/// Standard output can't be written.
pub(super) fn run(process: &Process, args: &SchemaArgs) -> Result<Exit, Failure> {
    let schema = if args.consumer { spec::consumer_schema() } else { spec::topology_schema() };
    process.output.result(&view::json(&schema))?;
    Ok(Exit::Done)
}
