//! The result of `import`.

use std::path::Path;

use serde::Serialize;

use super::style::{CARE, GOOD, paint};
use crate::domain::{import::Obstacle, topology::Topology};

/// What was imported.
#[derive(Debug)]
pub struct Written<'a> {
    /// The exchange.
    pub exchange: &'a str,
    /// The text of the file.
    pub text: &'a str,
    /// Where it was written; `None`: nowhere yet.
    pub path: Option<&'a Path>,
}

/// The text of the file, or where it was written.
#[must_use]
pub fn text(written: &Written<'_>) -> String {
    match written.path {
        None => written.text.to_owned(),
        Some(path) => format!("{} {}\n", paint(GOOD, "+"), path.display()),
    }
}

/// What no broker knows and somebody has to look at.
#[must_use]
pub fn to_check(place: &str, key: &str, hash: &str) -> String {
    format!(
        "{} check shards.key ({key}) and shards.hash ({hash}) in {place}: the broker knows neither, and both must \
         be what the producers use\n",
        paint(CARE, "warning:")
    )
}

#[derive(Serialize)]
struct Json<'a> {
    exchange: &'a str,
    file: Option<String>,
    topology: Option<&'a str>,
    shards: Option<u32>,
    consumers: Vec<&'a str>,
    to_check: &'a [&'a str],
    reasons: Vec<ReasonJson<'a>>,
}

#[derive(Serialize)]
struct ReasonJson<'a> {
    object: &'a str,
    field: &'a str,
    found: &'a str,
    needed: &'a str,
}

/// What was imported, as JSON.
#[must_use]
pub fn json(written: &Written<'_>, topology: &Topology) -> String {
    super::json(&Json {
        exchange: written.exchange,
        file: written.path.map(|path| path.display().to_string()),
        topology: Some(written.text),
        shards: Some(topology.shards.count),
        consumers: topology.consumers.keys().map(AsRef::as_ref).collect(),
        to_check: &["shards.key", "shards.hash"],
        reasons: Vec::new(),
    })
}

fn reason(obstacle: &Obstacle) -> ReasonJson<'_> {
    let Obstacle { object, field, found, needed } = obstacle;
    ReasonJson { object, field, found, needed }
}

/// Why it could not be imported, as JSON.
#[must_use]
pub fn refused(exchange: &str, obstacles: &[Obstacle]) -> String {
    super::json(&Json {
        exchange,
        file: None,
        topology: None,
        shards: None,
        consumers: Vec::new(),
        to_check: &[],
        reasons: obstacles.iter().map(reason).collect(),
    })
}
