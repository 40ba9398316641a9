//! File formats: text to domain, collecting every problem with its place.
//!
//! Owns topology.yaml, consumers/NAME/consumer.yaml, the expansion of `${…}` and the printed forms of
//! durations and sizes. One pair of tables (`topology_table` and `consumer_table`) feeds the reader,
//! the hints, `--expanded`, the JSON Schema and the check of docs/topology.md.
//!
//! Does not read the environment (it is handed in), does not touch the network, and does not judge SQL.
//! No expanded text reaches a message or a printed form, because it may hold a password.

mod address;
mod arguments;
mod consumer;
mod consumer_table;
pub mod duration;
mod expand;
mod expanded;
mod folders;
mod hint;
mod imported;
mod lint;
mod node;
pub mod plan_file;
mod problem;
mod read;
mod report;
mod resolve;
mod routing_table;
mod rules;
mod scalar;
mod schema;
pub mod size;
mod table;
mod topology_table;
mod value;
mod values;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::domain::{name::Name, topology::Topology, version::BrokerVersion};
use read::Reader;
use report::Report;
use value::Source;
use values::{Values, Where};

pub use expand::Env;
pub use imported::print as imported;
pub use problem::{Place, Problem};
pub use schema::{consumer_schema, keys, topology_schema};

/// Why a file gives no tree.
enum Refused {
    Io(io::Error),
    Text(String),
}

/// Reads a file into a tree; `None` when it can't be read and `matters` says that this is no problem.
fn tree(path: &Path, matters: fn(&io::Error) -> bool) -> Result<Option<node::Node>, (Where, Refused)> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if matters(&error) => return Err((Where::default(), Refused::Io(error))),
        Err(_) => return Ok(None),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before =
                String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
            return Err((end_of(&before), Refused::Text("the file is not UTF-8".to_owned())));
        }
    };
    match node::parse(&text) {
        Ok(root) => Ok(Some(root)),
        Err(broken) => Err((Where { place: broken.place, anchor: None }, Refused::Text(broken.message))),
    }
}

/// The place right after `text`.
fn end_of(text: &str) -> Where {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).saturating_add(1);
    let line = text.rsplit('\n').next().unwrap_or("");
    Where {
        place: Some(Place { line: number(text.matches('\n').count()), column: number(line.chars().count()) }),
        anchor: None,
    }
}

/// topology.yaml can't be read at all.
#[derive(Debug, thiserror::Error)]
#[error("can't read {}", path.display())]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    #[source]
    pub source: io::Error,
}

/// What the files say.
#[derive(Debug)]
pub struct Loaded {
    /// The topology with its consumers; `None` exactly when there are problems.
    pub topology: Option<Topology>,
    /// What makes the files unusable, in the order of files and places.
    pub problems: Vec<Problem>,
    /// What is legal and probably not meant.
    pub warnings: Vec<Problem>,
    /// Choices that have a price and what some versions of the broker do not do; told when somebody asks
    /// for a judgement of the file, not at every run.
    pub advice: Vec<Problem>,
    values: Values,
    consumers: Vec<(Name, PathBuf, Values)>,
}

/// Reads topology.yaml at `path` and the consumers' files beside it.
///
/// Relative paths in the files begin at the folder of the file that names them.
///
/// # Errors
/// The file itself can't be read. Everything wrong inside is in [`Loaded::problems`], all at once.
pub fn load(path: &Path, env: Env<'_>) -> Result<Loaded, Unreadable> {
    load_for(path, env, None)
}

/// Like [`load`], judged for `version` of the broker instead of the one that the file names.
///
/// # Errors
/// As [`load`].
pub fn load_for(path: &Path, env: Env<'_>, version: Option<BrokerVersion>) -> Result<Loaded, Unreadable> {
    let mut report = Report::new(path);
    let root = match tree(path, |_| true) {
        Ok(root) => root,
        Err((at, Refused::Text(message))) => {
            report.problem(at, "", message, None);
            None
        }
        Err((_, Refused::Io(source))) => return Err(Unreadable { path: path.to_owned(), source }),
    };
    Ok(loaded(path, root, report, env, version))
}

/// Like [`load`], of a text that is to stand at `path`.
#[must_use]
pub fn load_text(path: &Path, text: &str, env: Env<'_>) -> Loaded {
    let mut report = Report::new(path);
    let root = node::parse(text).map_err(|broken| {
        let at = Where { place: broken.place, anchor: None };
        report.problem(at, "", broken.message, None);
    });
    loaded(path, root.ok(), report, env, None)
}

fn loaded(
    path: &Path,
    root: Option<node::Node>,
    mut report: Report,
    env: Env<'_>,
    version: Option<BrokerVersion>,
) -> Loaded {
    let base = path.parent().unwrap_or_else(|| Path::new(""));
    let Some(root) = root else {
        let Report { problems, warnings, advice, .. } = report;
        let values = Values::default();
        return Loaded { topology: None, problems, warnings, advice, values, consumers: Vec::new() };
    };
    let mut reader = Reader { report: &mut report, source: Source { env, base }, prefix: String::new() };
    let mut values = reader.file(&topology_table::TOPOLOGY, &root);
    rules::values(&values, &mut report);
    lint::judge(&values, version, &mut report);
    let mut topology = resolve::topology(&values, base);
    folders::settle(&mut values, base, &mut report);

    let (mut consumers, mut problems, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    for (text, _, own) in values.consumers.iter().flatten() {
        let Ok(name) = Name::new(text.as_str()) else { continue };
        rules::store_url(own, &format!("consumers.{text}."), &mut report);
        let dir = folders::of(base, text);
        let file = consumer::settings(&dir);
        let mut below = Report::new(&file);
        let mut read = consumer::read(name.clone(), &dir, env, &mut below);
        consumer::sequence(&read.values, &values, &mut below);
        below.sort();
        problems.append(&mut below.problems);
        warnings.append(&mut below.warnings);
        if let (Some(topology), Some(mut consumer)) = (topology.as_mut(), read.consumer.take()) {
            consumer.store = resolve::own_store(own, base, &topology.store);
            topology.consumers.insert(name.clone(), consumer);
        }
        consumers.push((name, file, read.values));
    }
    if let Some(topology) = &topology {
        rules::names(topology, &values, &mut report);
    }
    // The topology's problems first, each file's in the order of places.
    report.sort();
    report.problems.append(&mut problems);
    report.warnings.append(&mut warnings);
    let topology = topology.filter(|_| report.problems.is_empty());
    let Report { problems, warnings, advice, .. } = report;
    Loaded { topology, problems, warnings, advice, values, consumers }
}

impl Loaded {
    /// topology.yaml with every default filled in, secrets unexpanded, then each consumer.yaml as comments.
    ///
    /// Loading the text again gives the same topology; a password that stands in the file itself is
    /// masked and can't come back.
    #[must_use]
    pub fn expanded(&self) -> String {
        let mut out = expanded::print(&topology_table::TOPOLOGY, &self.values);
        for (_, file, values) in &self.consumers {
            out.push_str(&format!("\n# {}\n", file.display()));
            for line in expanded::print(&consumer_table::CONSUMER, values).lines() {
                out.push_str(&format!("# {line}\n"));
            }
        }
        out
    }

    /// Each consumer.yaml with every default filled in.
    #[must_use]
    pub fn expanded_consumers(&self) -> Vec<(PathBuf, String)> {
        let print = |(_, file, values): &(Name, PathBuf, Values)| {
            (file.clone(), expanded::print(&consumer_table::CONSUMER, values))
        };
        self.consumers.iter().map(print).collect()
    }
}
