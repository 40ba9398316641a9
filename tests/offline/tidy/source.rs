//! The project's own files, for tests that read them.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A text file of the project.
pub(super) struct Source {
    /// Relative to the project, with `/`.
    pub(super) path: String,
    /// Its content.
    pub(super) text: String,
}

impl Source {
    /// The lines of code with their numbers: without comments, and without what follows `//` in a line.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line.split("//").next().unwrap_or("")))
    }
}

/// Where the project lies.
pub(super) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// One file of the project.
pub(super) fn file(path: &str) -> Source {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    Source { path: path.to_owned(), text }
}

/// Every file below `folder` whose name ends in one of `endings`, sorted by path.
pub(super) fn files(folder: &str, endings: &[&str]) -> Vec<Source> {
    let mut paths = Vec::new();
    walk(&root().join(folder), &mut paths);
    paths.retain(|path| endings.iter().any(|ending| path.ends_with(ending)));
    paths.sort();
    assert!(!paths.is_empty(), "no {endings:?} below {folder}");
    paths.iter().map(|path| file(path)).collect()
}

fn walk(folder: &Path, paths: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                walk(&path, paths);
            }
        } else {
            paths.push(relative(&path));
        }
    }
}

fn relative(path: &Path) -> String {
    let parts: PathBuf = path.strip_prefix(root()).unwrap().to_path_buf();
    parts.to_string_lossy().replace('\\', "/")
}
