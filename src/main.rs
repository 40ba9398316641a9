//! The `topo` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    topo::cli::main()
}
