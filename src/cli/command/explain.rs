//! `topo explain`: what an error code means.

use crate::{
    cli::{args::ExplainArgs, context::Process, exit::Exit, failure::Failure, view},
    domain::code::Code,
};

/// Explains.
///
/// # Errors
/// There is no such code.
pub(super) fn run(process: &Process, args: &ExplainArgs) -> Result<Exit, Failure> {
    let text = args.code.trim().to_ascii_uppercase();
    let digits = text.strip_prefix("TOPO").unwrap_or(&text);
    let known = || Code::ALL.iter().copied();
    let found = digits.parse().ok().and_then(|number: u16| known().find(|code| code.number() == number));
    let code = found.ok_or_else(|| {
        let all: Vec<String> = known().map(|code| code.to_string()).collect();
        Failure::usage(Code::Usage, format!("no error code {:?}", args.code))
            .help(format!("The codes are {}.", all.join(", ")))
    })?;
    process.output.either(|| view::explain::text(code), || view::explain::json(code))?;
    Ok(Exit::Done)
}
