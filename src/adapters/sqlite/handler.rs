//! The consumer's statements: checked when the session begins, bound and run for each message.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::{Connection, ToSql, types::ToSqlOutput, types::ValueRef};

use super::error::{kind, offset, store_error};
use crate::{
    adapters::sql::{self as values, BindError, Value},
    domain::{
        consumer::{Mode, SqlFile},
        message::Message,
        sql::{self, Dialect, Parameter, Statement},
    },
    ports::store::{ApplyError, StoreError, StoreKind},
};

/// A prepared handler.
#[derive(Debug)]
pub(super) struct Handler {
    file: String,
    mode: Mode,
    statements: Vec<Prepared>,
    /// Counts handler calls, so that a watcher can tell a slow one from a long batch.
    pub(super) calls: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Prepared {
    statement: Statement,
    /// SQLite's number of each parameter; a name that occurs twice has one.
    parameters: Vec<(usize, Parameter)>,
}

impl Handler {
    /// Reads the file and has SQLite prepare every statement.
    pub(super) fn prepare(conn: &Connection, file: &SqlFile) -> Result<Self, StoreError> {
        let path = file.path.display();
        let script = sql::handler_of_any_mode(&file.text, Dialect::Sqlite).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(|problem| format!("{path}:{problem}")).collect();
            StoreError::new(StoreKind::Handler, lines.join("\n"))
        })?;
        conn.set_prepared_statement_cache_capacity(script.statements.len() + 8);
        let mode = script.mode;
        let statements =
            script.statements.into_iter().map(|s| Prepared::new(conn, s, &path)).collect::<Result<_, _>>()?;
        Ok(Self { file: path.to_string(), mode, statements, calls: Arc::default() })
    }

    /// Runs the statements for each message in order, or once for the whole batch. In batch mode a failure
    /// names the first message: which one is at fault nobody knows.
    pub(super) fn run(&self, conn: &Connection, messages: &[Message], shard: u32) -> Result<(), ApplyError> {
        if self.mode == Mode::Batch {
            let batch: Vec<&Message> = messages.iter().collect();
            let all = values::batch(&batch, shard)
                .map_err(|(index, error)| ApplyError { index, error: unbindable(error) })?;
            let value = |parameter| match parameter {
                Parameter::Messages => Ok(Value::Text(all.clone())),
                // The lexer allows nothing else here.
                _ => Ok(Value::Integer(i64::from(shard))),
            };
            return self.call(conn, value).map_err(|error| ApplyError { index: 0, error });
        }
        for (index, message) in messages.iter().enumerate() {
            self.call(conn, |parameter| values::value(parameter, message, shard))
                .map_err(|error| ApplyError { index, error })?;
        }
        Ok(())
    }

    fn call(
        &self,
        conn: &Connection,
        value: impl Fn(Parameter) -> Result<Value, BindError>,
    ) -> Result<(), StoreError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        for prepared in &self.statements {
            let mut values = Vec::with_capacity(prepared.parameters.len());
            for (number, parameter) in &prepared.parameters {
                values.push((*number, value(*parameter).map_err(unbindable)?));
            }
            run(conn, prepared.statement.text(), values).map_err(|error| {
                let place = prepared.statement.place_at(offset(&error).unwrap_or(0));
                store_error(&format!("{}:{place}", self.file), &error)
            })?;
        }
        Ok(())
    }
}

impl Prepared {
    fn new(
        conn: &Connection,
        statement: Statement,
        path: &std::path::Display<'_>,
    ) -> Result<Self, StoreError> {
        let at = |offset| format!("{path}:{}", statement.place_at(offset));
        let prepared = conn.prepare_cached(statement.text()).map_err(|error| {
            let mut failure = store_error(&at(offset(&error).unwrap_or(0)), &error);
            if kind(&error) == StoreKind::Failed {
                failure.kind = StoreKind::Handler;
            }
            failure
        })?;
        let mut parameters = Vec::new();
        for number in 1..=prepared.parameter_count() {
            let name = prepared.parameter_name(number).unwrap_or("?");
            // A parameter that nobody binds would read NULL without any error.
            let known = name.strip_prefix(':').and_then(Parameter::parse);
            let known = known.filter(|p| statement.occurrences().iter().any(|o| o.parameter == *p));
            let Some(parameter) = known else {
                let text = format!("{}: nothing binds the parameter {name}", at(0));
                return Err(StoreError::new(StoreKind::Handler, text));
            };
            parameters.push((number, parameter));
        }
        drop(prepared);
        Ok(Self { statement, parameters })
    }
}

/// Runs one statement to its last row: an error may come after the first ones.
fn run(conn: &Connection, text: &str, values: Vec<(usize, Value)>) -> rusqlite::Result<()> {
    let mut statement = conn.prepare_cached(text)?;
    for (number, value) in values {
        statement.raw_bind_parameter(number, value)?;
    }
    let mut rows = statement.raw_query();
    while rows.next()?.is_some() {}
    Ok(())
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

fn unbindable(error: BindError) -> StoreError {
    StoreError::because(StoreKind::Failed, "the message can't be given to the handler", error)
}
