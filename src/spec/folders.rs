//! Which consumers a topology has: those it lists, else the folders in `consumers/`.
//!
//! A topology.yaml without a `consumers:` key takes every folder that holds a consumer.yaml or a
//! handler.sql, so that three lines stay enough. A list, even an empty one, is taken as it stands.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    report::Report,
    values::{Values, Where},
};
use crate::domain::name::Name;

/// What a consumer without files is.
const OTHERS: &str = "it is somebody else's program: no store is needed for it";

/// The folder of a consumer beside topology.yaml.
pub(super) fn of(base: &Path, name: &str) -> PathBuf {
    base.join("consumers").join(name)
}

/// Fills in the consumers that the file does not list, and warns of what was probably not meant.
pub(super) fn settle(values: &mut Values, base: &Path, report: &mut Report) {
    let found = found(base);
    match &values.consumers {
        Some(listed) => {
            for (name, at, _) in listed {
                missing(name, *at, base, report);
            }
            for name in found.iter().filter(|name| !listed.iter().any(|(listed, ..)| listed == *name)) {
                let message =
                    format!("the folder {} is not listed and is left out", of(base, name).display());
                report.warning(
                    Where::default(),
                    "consumers",
                    message,
                    Some(format!("list it: `{name}: {{}}`")),
                );
            }
        }
        None => {
            let folders = found.into_iter().map(|name| (name, Where::default(), Values::default()));
            values.consumers = Some(folders.collect());
        }
    }
    if values.consumers.as_ref().is_some_and(Vec::is_empty) {
        let message = "there are no consumers, so there are no queues: a published message is returned";
        let help = format!("put a handler.sql into {}", of(base, "NAME").display());
        report.warning(Where::default(), "consumers", message, Some(help));
    }
}

fn missing(name: &str, at: Where, base: &Path, report: &mut Report) {
    let dir = of(base, name);
    let path = format!("consumers.{name}");
    let has = |file: &str| dir.join(file).exists();
    if !dir.is_dir() {
        report.warning(at, &path, format!("the folder {} does not exist, so {OTHERS}", dir.display()), None);
    } else if !has("consumer.yaml") && !has("handler.sql") {
        let message = format!(
            "the folder {} holds neither consumer.yaml nor handler.sql; without schema.sql too {OTHERS}",
            dir.display()
        );
        let help = has("consumer.yml").then(|| "rename consumer.yml to consumer.yaml".to_owned());
        report.warning(at, &path, message, help);
    }
}

fn found(base: &Path) -> Vec<String> {
    // A folder that can't be listed is like one that is not there: listing consumers by name still works.
    let Ok(entries) = fs::read_dir(base.join("consumers")) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && Name::new(name.as_str()).is_ok())
        .filter(|name| {
            ["consumer.yaml", "handler.sql"].iter().any(|file| of(base, name).join(file).is_file())
        })
        .collect();
    names.sort();
    names
}
