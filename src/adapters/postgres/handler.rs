//! The consumer's statements: prepared when the session begins, pipelined in order for a batch.

use std::time::Duration;

use futures_util::{StreamExt, stream::FuturesOrdered};
use tokio::time;
use tokio_postgres::{Client, Error, error::SqlState, types::Type};

use super::{
    error::{position, store_error},
    value::Text,
};
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
pub(super) struct Handler {
    file: String,
    mode: Mode,
    statements: Vec<Prepared>,
}

struct Prepared {
    statement: Statement,
    parameters: Vec<Parameter>,
    server: tokio_postgres::Statement,
}

impl Handler {
    /// Reads the file and has the server prepare every statement.
    pub(super) async fn prepare(client: &Client, file: &SqlFile) -> Result<Self, StoreError> {
        let path = file.path.display().to_string();
        let script = sql::handler_of_any_mode(&file.text, Dialect::Postgres).map_err(|problems| {
            let lines: Vec<String> = problems.iter().map(|problem| format!("{path}:{problem}")).collect();
            StoreError::new(StoreKind::Handler, lines.join("\n"))
        })?;
        let mut statements = Vec::with_capacity(script.statements.len());
        for statement in script.statements {
            let numbered = statement.numbered();
            let server = prepare(client, &numbered).await.map_err(|error| {
                let place = statement.place_in_numbered(position(&error).unwrap_or(1));
                let mut failure = store_error(&format!("{path}:{place}"), error);
                if matches!(failure.kind, StoreKind::Failed | StoreKind::SchemaMissing) {
                    failure.kind = StoreKind::Handler;
                }
                failure
            })?;
            statements.push(Prepared { statement, parameters: numbered.parameters, server });
        }
        Ok(Self { file: path, mode: script.mode, statements })
    }

    /// Runs the statements for each message in order, or once for the whole batch. In batch mode a failure
    /// names the first message: which one is at fault nobody knows. `limit` bounds each answer.
    pub(super) async fn run(
        &self,
        client: &Client,
        messages: &[&Message],
        shard: u32,
        limit: Duration,
    ) -> Result<(), ApplyError> {
        let mut calls = Vec::new();
        let mut unbound = None;
        if self.mode == Mode::Batch {
            match values::batch(messages, shard) {
                Ok(all) => calls.push(self.bind(|parameter| match parameter {
                    Parameter::Messages => Ok(Value::Text(all.clone())),
                    // The lexer allows nothing else here.
                    _ => Ok(Value::Integer(i64::from(shard))),
                })),
                Err((index, error)) => return Err(ApplyError { index, error: unbindable(error) }),
            }
        } else {
            calls.extend(messages.iter().map(|message| self.bind(|p| values::value(p, message, shard))));
        }
        // Sent all at once and answered in order: the first failure decides, what follows it is 25P02.
        let mut answers = FuturesOrdered::new();
        for (index, call) in calls.into_iter().enumerate() {
            match call {
                Ok(call) => {
                    for (prepared, parameters) in self.statements.iter().zip(call) {
                        answers.push_back(async move {
                            let done = client.execute_raw(&prepared.server, parameters).await;
                            done.map_err(|error| (index, prepared, error))
                        });
                    }
                }
                Err(error) => {
                    unbound = Some(ApplyError { index, error: unbindable(error) });
                    break;
                }
            }
        }
        let mut first = None;
        loop {
            let silent = |_| ApplyError { index: 0, error: silent(limit) };
            match time::timeout(limit, answers.next()).await.map_err(silent)? {
                None => break,
                Some(Ok(_)) => {}
                Some(Err(failure)) => first = first.or(Some(failure)),
            }
        }
        match first {
            Some((index, prepared, error)) => Err(ApplyError { index, error: self.failure(prepared, error) }),
            None => unbound.map_or(Ok(()), Err),
        }
    }

    fn bind(
        &self,
        value: impl Fn(Parameter) -> Result<Value, BindError>,
    ) -> Result<Vec<Vec<Text>>, BindError> {
        let bind = |parameter: &Parameter| value(*parameter).map(Text::from);
        self.statements.iter().map(|prepared| prepared.parameters.iter().map(bind).collect()).collect()
    }

    fn failure(&self, prepared: &Prepared, error: Error) -> StoreError {
        let place = prepared.statement.place_in_numbered(position(&error).unwrap_or(1));
        let mut failure = store_error(&format!("{}:{place}", self.file), error);
        if failure.kind == StoreKind::SchemaMissing {
            failure.kind = StoreKind::Failed;
        }
        failure
    }
}

/// The server chooses every type but those of the JSON values; where it can't, the parameter is text.
async fn prepare(client: &Client, numbered: &sql::Rendered) -> Result<tokio_postgres::Statement, Error> {
    let choose = |parameter: &Parameter| if parameter.is_json() { Type::JSONB } else { Type::UNKNOWN };
    let mut types: Vec<Type> = numbered.parameters.iter().map(choose).collect();
    loop {
        let error = match client.prepare_typed(&numbered.sql, &types).await {
            Ok(statement) => return Ok(statement),
            Err(error) => error,
        };
        match undetermined(&error).and_then(|number| types.get_mut(number - 1)) {
            Some(unknown) if *unknown == Type::UNKNOWN => *unknown = Type::TEXT,
            Some(_) | None => return Err(error),
        }
    }
}

/// The number in `could not determine data type of parameter $3`, whatever the language.
fn undetermined(error: &Error) -> Option<usize> {
    let error = error.as_db_error().filter(|error| *error.code() == SqlState::INDETERMINATE_DATATYPE)?;
    let (_, number) = error.message().split_once('$')?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|number| *number > 0)
}

fn unbindable(error: BindError) -> StoreError {
    StoreError::because(StoreKind::Failed, "the message can't be given to the handler", error)
}

/// The server has not answered although every statement has a time limit.
pub(super) fn silent(limit: Duration) -> StoreError {
    StoreError::new(StoreKind::Unreachable, format!("the store has not answered for {limit:?}"))
}
