//! Cases of a consumer: example messages, and what the tables then hold.
//!
//! Owns the files: `cases/NAME.jsonl` holds messages, one a line; `cases/NAME.expected` holds queries and
//! their answers: a line that begins with `> ` is a query, the lines below it are its rows, columns joined
//! by ` | `, NULL written `NULL`. Blank lines mean nothing. Running them is the caller's business.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// File name without its extension.
    pub name: String,
    /// The messages.
    pub bodies: Vec<Vec<u8>>,
    /// The queries; none when there is no `.expected` file: then the messages only have to be applied.
    pub queries: Vec<Query>,
}

/// A query and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Where it stands: file and line.
    pub place: String,
    /// The SQL.
    pub sql: String,
    /// The expected rows.
    pub rows: Vec<String>,
}

/// Why a case can't be read.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// A file or folder can't be read.
    #[error("can't read {}", path.display())]
    Read {
        /// It.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Rows without a query.
    #[error("{}:{line}: a row without a query; queries begin with \"> \"", path.display())]
    NoQuery {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// Answers without messages.
    #[error("{} has no messages beside it: {name}.jsonl is missing", path.display())]
    NoMessages {
        /// The file of answers.
        path: PathBuf,
        /// Name of the case.
        name: String,
    },
}

/// The cases in `dir`, by name; none when there is no such folder.
///
/// # Errors
/// See [`CaseError`].
pub fn read(dir: &Path) -> Result<Vec<Case>, CaseError> {
    let failed = |source| CaseError::Read { path: dir.to_owned(), source };
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    paths.sort();
    let is = |path: &Path, extension: &str| path.extension().is_some_and(|found| found == extension);
    for path in paths.iter().filter(|path| is(path, "expected")) {
        if !paths.contains(&path.with_extension("jsonl")) {
            let name = stem(path);
            return Err(CaseError::NoMessages { path: path.clone(), name });
        }
    }
    paths.iter().filter(|path| is(path, "jsonl")).map(|path| case(path, &paths)).collect()
}

fn case(messages: &Path, paths: &[PathBuf]) -> Result<Case, CaseError> {
    let text = text(messages)?;
    let bodies = text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.as_bytes().to_vec());
    let expected = messages.with_extension("expected");
    let queries = if paths.contains(&expected) { queries(&expected)? } else { Vec::new() };
    Ok(Case { name: stem(messages), bodies: bodies.collect(), queries })
}

fn queries(path: &Path) -> Result<Vec<Query>, CaseError> {
    let mut queries: Vec<Query> = Vec::new();
    for (index, line) in text(path)?.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(sql) = line.strip_prefix("> ") {
            let place = format!("{}:{}", path.display(), index + 1);
            queries.push(Query { place, sql: sql.trim().to_owned(), rows: Vec::new() });
        } else if let Some(query) = queries.last_mut() {
            query.rows.push(line.trim_end().to_owned());
        } else {
            return Err(CaseError::NoQuery { path: path.to_owned(), line: index + 1 });
        }
    }
    Ok(queries)
}

fn text(path: &Path) -> Result<String, CaseError> {
    fs::read_to_string(path).map_err(|source| CaseError::Read { path: path.to_owned(), source })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
