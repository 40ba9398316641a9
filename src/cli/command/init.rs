//! `topo init`: the shipped example as files of one's own.
//!
//! The files are those of this repository, so what `init` writes is what the tests run. Nothing that
//! exists is ever overwritten.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use crate::{
    cli::{args::InitArgs, context::Process, exit::Exit, failure::Failure, view},
    domain::code::Code,
};

/// Path below the folder, and text.
const FILES: &[(&str, &str)] = &[
    ("topology.yaml", include_str!("../../../topology.yaml")),
    ("consumers/README.md", include_str!("../../../consumers/README.md")),
    ("consumers/ledger/consumer.yaml", include_str!("../../../consumers/ledger/consumer.yaml")),
    ("consumers/ledger/handler.sql", include_str!("../../../consumers/ledger/handler.sql")),
    ("consumers/ledger/schema.sql", include_str!("../../../consumers/ledger/schema.sql")),
    (
        "consumers/ledger/cases/01_two_orders.jsonl",
        include_str!("../../../consumers/ledger/cases/01_two_orders.jsonl"),
    ),
    (
        "consumers/ledger/cases/01_two_orders.expected",
        include_str!("../../../consumers/ledger/cases/01_two_orders.expected"),
    ),
    ("orders.jsonl", include_str!("../sample/orders.jsonl")),
];

/// Writes the files.
///
/// # Errors
/// One of them exists already (then nothing is written), or can't be written.
pub(super) fn run(process: &Process, args: &InitArgs) -> Result<Exit, Failure> {
    let dir = &args.dir;
    if let Some((name, _)) = FILES.iter().find(|(name, _)| dir.join(name).symlink_metadata().is_ok()) {
        let text = format!("{} is already there; nothing was written", dir.join(name).display());
        return Err(Failure::new(Exit::Refused, Code::WouldOverwrite, text));
    }
    for (name, text) in FILES {
        let path = dir.join(name);
        write(&path, text).map_err(|error| {
            Failure::new(Exit::Failed, Code::FileMissing, format!("can't write {}", path.display()))
                .because(Some(&error))
                .help("Name a folder that you may write to: `topo init DIR`.")
        })?;
    }
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    process.output.either(|| view::init::text(dir, &names), || view::init::json(dir, &names))?;
    Ok(Exit::Done)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir)?;
    }
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
