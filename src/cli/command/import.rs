//! `topo import`: a live exchange to a topology.yaml whose plan is empty, or the reasons why not.
//!
//! The address comes from the environment, as it will for the written file; neither is ever in the text.
//!
//! Invariant: plan-is-what-runs (the text is read back and planned with before it is handed out).

use std::{
    fs::{OpenOptions, remove_file},
    io::{self, Write as _},
    path::Path,
};

use crate::{
    cli::{args::ImportArgs, context::Process, exit::Exit, failure::Failure, view},
    domain::{
        code::Code,
        hash::HashKind,
        import::Obstacle,
        key::{KeyRule, PointerError},
        topology::Topology,
    },
    flows::import::{ImportError, import, verify},
    ports::link::LinkKind,
    spec,
};

/// Only its broker is used: what a file without one says.
const ADDRESS: &str = "topology: import\nshards: 1\nkey: /key\nconsumers: {}\n";
/// Where the key is looked for when nobody says it.
const KEY: &str = "/key";

/// Imports.
///
/// # Errors
/// There is no such exchange, something can't be expressed, the file is already there, or the management API
/// can't be used.
pub(super) async fn run(process: &Process, args: &ImportArgs) -> Result<Exit, Failure> {
    if let Some(path) = args.out.as_deref().filter(|path| path.symlink_metadata().is_ok()) {
        return Err(exists(path));
    }
    let path = args.out.as_deref().unwrap_or_else(|| Path::new("topology.yaml"));
    let project = process.project_of(read(process, path, ADDRESS)?, false);
    let management = project.management()?;
    let found = import(&management, &args.exchange).await.map_err(|error| failed(process, &error))?;
    let key = match &args.key {
        Some(key) => key.clone(),
        None => KeyRule::parse(KEY)
            .map_err(|error: PointerError| Failure::of(Exit::Failed, Code::Internal, &error))?,
    };
    let hash = args.hash.unwrap_or(HashKind::Xxh64);
    let text = spec::imported(&found.draft, found.broker_version.as_deref(), &key, hash);
    let mut loaded = process.judge(path, &text);
    let Some(topology) = loaded.topology.take() else {
        let obstacle = |problem: &spec::Problem| {
            Obstacle::new(
                "topology.yaml",
                problem.path.as_str(),
                "a value that it can't have",
                &problem.message,
            )
        };
        let obstacles = loaded.problems.iter().map(obstacle).collect();
        let error = ImportError::Inexpressible { exchange: args.exchange.clone(), obstacles };
        return Err(failed(process, &error));
    };
    verify(&management, &topology).await.map_err(|error| failed(process, &error))?;
    if let Some(path) = &args.out {
        write(path, &text)?;
    }
    if args.key.is_none() || args.hash.is_none() {
        let place = if args.out.is_some() { path.display().to_string() } else { "the file".to_owned() };
        process.output.talk(&view::import::to_check(&place, &key.to_string(), hash.as_str()));
    }
    let imported = view::import::Written { exchange: &args.exchange, text: &text, path: args.out.as_deref() };
    process.output.either(|| view::import::text(&imported), || view::import::json(&imported, &topology))?;
    Ok(Exit::Done)
}

fn read(process: &Process, path: &Path, text: &str) -> Result<Topology, Failure> {
    let mut loaded = process.judge(path, text);
    loaded.topology.take().ok_or_else(|| Failure::from(loaded.problems.as_slice()))
}

fn failed(process: &Process, error: &ImportError) -> Failure {
    match error {
        ImportError::Broker(link) => {
            let failure = Failure::from(link);
            let help = "import reads queues and bindings through the management API; AMQP alone lists nothing. \
                        Its address is TOPO_MANAGEMENT_URL, else port 15672 of the host of TOPO_BROKER_URL.";
            match link.kind {
                LinkKind::Unreachable | LinkKind::Protocol => failure.help(help),
                _ => failure,
            }
        }
        ImportError::Missing(_) => Failure::of(Exit::Failed, Code::ExchangeMissing, error)
            .help("`rabbitmqctl list_exchanges -p VHOST` lists them; the vhost is part of TOPO_BROKER_URL."),
        ImportError::Inexpressible { exchange, obstacles } => {
            let failure = Failure::of(Exit::No, Code::CantImport, error);
            if let Err(failure) =
                process.output.either(String::new, || view::import::refused(exchange, obstacles))
            {
                return failure;
            }
            Failure { details: obstacles.iter().map(Obstacle::to_string).collect(), ..failure }
        }
    }
}

fn exists(path: &Path) -> Failure {
    let text = format!("{} is already there; nothing was written", path.display());
    Failure::new(Exit::Refused, Code::WouldOverwrite, text)
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(exists(path)),
        Err(error) => return Err(unwritable(path, &error)),
    };
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
        // Half a file would be taken for a whole one.
        drop(remove_file(path));
        unwritable(path, &error)
    })
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::Failed, Code::OutputFailed, format!("can't write {}", path.display()))
        .because(Some(error))
}
