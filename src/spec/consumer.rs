//! One consumer's folder to the domain: consumer.yaml, its handler and schema.sql.
//!
//! A folder that is missing is no problem here, because planning and publishing do not need it: the
//! consumer then has no handler, which `check` and `consume` refuse.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Refused,
    consumer_table::CONSUMER,
    duration,
    expand::Env,
    node::{Content, Node},
    problem::Place,
    read::Reader,
    report::Report,
    value::Source,
    values::{Entry, Shown, Value, Values, Where},
};
use crate::domain::{
    consumer::{Batch, Claim, Consumer, Dedup, Handler, Mode, OnFailure, SqlFile},
    name::Name,
    retry::RetryPolicy,
};

/// The broker closes a channel whose oldest delivery waits for 30 minutes (T51); half of that is ours.
const BUDGET: Duration = Duration::from_secs(15 * 60);

const HANDLERS: [&str; 4] = ["handler.sql", "handler.exec", "handler.http", "handler.rust"];

/// What was read of one consumer.
pub(super) struct Read {
    /// `None`: a problem was reported.
    pub consumer: Option<Consumer>,
    pub values: Values,
}

/// Reads the folder `dir`; `report` is that of its consumer.yaml.
pub(super) fn read(name: Name, dir: &Path, env: Env<'_>, report: &mut Report) -> Read {
    let empty = Node { place: Place { line: 1, column: 1 }, anchor: None, content: Content::Null };
    let root = match super::tree(&report.file, report_missing) {
        Ok(root) => root.unwrap_or(empty),
        Err((at, refused)) => {
            let message = match refused {
                Refused::Text(message) => message,
                Refused::Io(error) => format!("can't read the file: {error}"),
            };
            report.problem(at, "", message, None);
            return Read { consumer: None, values: Values::default() };
        }
    };
    let mut values =
        Reader { report, source: Source { env, base: dir }, prefix: String::new() }.file(&CONSUMER, &root);
    rules(&values, report);
    let handler = handler(&mut values, dir, report);
    let schema = optional(&dir.join("schema.sql"), report);
    Read { consumer: consumer(name, &values, handler, schema), values }
}

/// consumer.yaml may be absent: every key of it has a default.
fn report_missing(error: &io::Error) -> bool {
    error.kind() != io::ErrorKind::NotFound && error.kind() != io::ErrorKind::NotADirectory
}

fn consumer(
    name: Name,
    values: &Values,
    handler: Option<Handler>,
    schema: Option<SqlFile>,
) -> Option<Consumer> {
    let (backoff_min, backoff_max) = values.range("retry.backoff")?;
    Some(Consumer {
        name,
        store: None,
        handler,
        mode: match values.choice("mode")? {
            "batch" => Mode::Batch,
            _ => Mode::Each,
        },
        batch: Batch {
            max_messages: values.count32("batch.max_messages")?,
            max_bytes: values.count("batch.max_bytes")?,
            linger: values.linger("batch.linger")?,
        },
        prefetch: u16::try_from(values.count("prefetch")?).ok()?,
        dedup: values.dedup("dedup")?,
        retry: RetryPolicy { attempts: values.count32("retry.attempts")?, backoff_min, backoff_max },
        on_failure: match values.choice("on_failure")? {
            "block" => OnFailure::Block,
            "dead_letter" => OnFailure::DeadLetter,
            _ => OnFailure::Park,
        },
        timeout: values.duration("timeout")?,
        retention: values.duration("retention")?,
        schema,
    })
}

/// The handler that the file names, else handler.sql when there is one.
fn handler(values: &mut Values, dir: &Path, report: &mut Report) -> Option<Handler> {
    let claim = match values.choice("handler.claim") {
        Some("before") => Claim::Before,
        _ => Claim::After,
    };
    if let Some(file) = values.text("handler.sql") {
        let path = dir.join(file.expose());
        return match text(&path) {
            Ok(text) => Some(Handler::Sql(SqlFile { path, text })),
            Err(error) => {
                let message = format!("can't read the file {}: {error}", dir.join(file.shown()).display());
                report.problem(values.at("handler.sql"), "handler.sql", message, None);
                None
            }
        };
    }
    if let Some(argv) = values.words("handler.exec") {
        return Some(Handler::Exec { argv, claim });
    }
    if let Some(url) = values.text("handler.http") {
        return Some(Handler::Http { url, claim });
    }
    if let Some(name) = values.text("handler.rust") {
        return Some(Handler::Rust(name.expose().to_owned()));
    }
    if HANDLERS.iter().any(|path| values.get(path).is_some()) {
        // It was given and reported.
        return None;
    }
    let file = optional(&dir.join("handler.sql"), report)?;
    // Shown by `--expanded` like every other default.
    let (value, shown) = (Value::Nothing, Shown::Text("handler.sql".to_owned()));
    values.insert("handler.sql".to_owned(), Entry { at: Where::default(), value, shown });
    Some(Handler::Sql(file))
}

/// What the values mean together.
fn rules(values: &Values, report: &mut Report) {
    let given: Vec<_> = HANDLERS.into_iter().filter(|path| values.is_given(path)).collect();
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a consumer has one handler, and {first} names one already");
        report.problem(values.at(second), second, message, None);
    }
    let outside = values.words("handler.exec").is_some() || values.text("handler.http").is_some();
    if values.choice("handler.claim").is_some() && !outside {
        let message =
            "claim is for exec and http; the effects of other handlers commit together with the claim";
        report.problem(values.at("handler.claim"), "handler.claim", message, None);
    }
    retry(values, report);
    if let (Some(prefetch), Some(batch)) = (values.count("prefetch"), values.count("batch.max_messages"))
        && prefetch < batch
        && values.is_given("prefetch")
    {
        let message = format!("batches hold at most {prefetch} messages, not batch.max_messages {batch}");
        report.warning(values.at("prefetch"), "prefetch", message, None);
    }
}

fn retry(values: &Values, report: &mut Report) {
    let range = values.range("retry.backoff").zip(values.count32("retry.attempts"));
    let Some((((min, max), attempts), timeout)) = range.zip(values.duration("timeout")) else { return };
    let policy = RetryPolicy { attempts, backoff_min: min, backoff_max: max };
    let total = policy.total_pause().saturating_add(timeout.saturating_mul(attempts));
    if total >= BUDGET {
        let message = format!(
            "{attempts} attempts of timeout {} and the pauses between them take up to {}; all must stay below {}, \
             half of the time after which the broker takes an unacked message away",
            duration::print(timeout),
            duration::print(total),
            duration::print(BUDGET),
        );
        let path = ["retry.attempts", "retry.backoff", "timeout"].into_iter().find(|p| values.is_given(p));
        let path = path.unwrap_or("retry.attempts");
        report.problem(values.at(path), path, message, None);
    }
}

/// Deduplication by a number that `publish` is not told to send.
pub(super) fn sequence(values: &Values, topology: &Values, report: &mut Report) {
    if values.dedup("dedup") == Some(Dedup::Sequence) && topology.pointer("message.sequence").is_none() {
        let message = "the topology names no message.sequence, so messages of `topo publish` carry no number";
        report.warning(values.at("dedup"), "dedup", message, None);
    }
}

fn optional(path: &Path, report: &mut Report) -> Option<SqlFile> {
    match text(path) {
        Ok(text) => Some(SqlFile { path: path.to_owned(), text }),
        Err(error) if report_missing(&error) => {
            report.problem(Where::default(), "", format!("can't read {}: {error}", path.display()), None);
            None
        }
        Err(_) => None,
    }
}

fn text(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// The file of a consumer's settings.
pub(super) fn settings(dir: &Path) -> PathBuf {
    dir.join("consumer.yaml")
}
