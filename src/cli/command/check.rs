//! `topo check`: everything that can be judged offline. Contacts nothing.
//!
//! Files and their meaning are judged by `spec`, the SQL of handlers and schemas by [`sql`]; the cases
//! of consumers are replayed on a throw-away SQLite store.

use super::{cases, definitions};
use crate::{
    cli::{
        args::{CheckArgs, OutputFormat},
        context::Process,
        exit::Exit,
        failure::Failure,
        view::{self, check::Checked},
    },
    domain::{
        code::Code,
        consumer::{Consumer, Handler, SqlFile},
        sql::{self, Dialect},
        topology::Topology,
    },
    spec::{Loaded, Place, Problem},
};

/// Checks.
///
/// # Errors
/// The files have problems, or a case does not come out as expected.
pub(super) async fn run(process: &Process, args: &CheckArgs) -> Result<Exit, Failure> {
    let mut loaded = process.read_for(args.broker_version)?;
    if let Some(topology) = &loaded.topology {
        let found: Vec<Problem> =
            topology.consumers.values().flat_map(|c| sql_problems(topology, c)).collect();
        loaded.problems.extend(found);
    }
    if args.expanded {
        return expanded(process, &loaded);
    }
    let warnings = loaded.warnings.into_iter().chain(loaded.advice).collect();
    let mut checked = Checked { warnings, ..Checked::default() };
    if let Some(topology) = loaded.topology.as_ref().filter(|_| loaded.problems.is_empty()) {
        checked.topology = Some(view::check::summary(topology));
        for consumer in topology.consumers.values() {
            checked.cases.extend(cases::run(process, topology, consumer).await?);
        }
        if let Some(file) = &args.definitions {
            let definitions::Judged { findings, warnings } = definitions::judge(topology, file)?;
            checked.warnings.extend(warnings);
            checked.findings = Some(findings);
        }
    }
    checked.problems = loaded.problems;
    // In text form the problems are the failure below.
    if checked.problems.is_empty() || process.output.format == OutputFormat::Json {
        process.output.either(|| view::check::text(&checked), || view::check::json(&checked))?;
    }
    if !checked.problems.is_empty() {
        return Err(Failure::from(checked.problems.as_slice()));
    }
    let failed: Vec<_> = checked.cases.iter().filter(|case| case.failure.is_some()).collect();
    if !failed.is_empty() {
        let text = format!("{} of {} cases failed", failed.len(), checked.cases.len());
        return Err(Failure::new(Exit::No, Code::CaseFailed, text));
    }
    let found = checked.findings.as_deref().unwrap_or_default();
    let Some(first) = found.first() else { return Ok(Exit::Done) };
    let text = format!("the definitions differ from the topology or endanger it: {}", found.len());
    Err(Failure::new(Exit::No, first.code, text))
}

fn expanded(process: &Process, loaded: &Loaded) -> Result<Exit, Failure> {
    if !loaded.problems.is_empty() {
        return Err(Failure::from(loaded.problems.as_slice()));
    }
    process.output.result(&loaded.expanded())?;
    Ok(Exit::Done)
}

/// Problems of a consumer's SQL, by the rules of its store.
fn sql_problems(topology: &Topology, consumer: &Consumer) -> Vec<Problem> {
    let url = topology.store_of(consumer).url.expose();
    let dialect = if url.starts_with("sqlite:") { Dialect::Sqlite } else { Dialect::Postgres };
    let mut problems = Vec::new();
    if let Some(Handler::Sql(file)) = &consumer.handler {
        let found = sql::handler(&file.text, dialect, consumer.mode).err().unwrap_or_default();
        problems.extend(found.into_iter().map(|problem| located(file, problem)));
    }
    if let Some(file) = &consumer.schema {
        let found = sql::schema(&file.text, dialect).err().unwrap_or_default();
        problems.extend(found.into_iter().map(|problem| located(file, problem)));
    }
    problems
}

fn located(file: &SqlFile, problem: sql::Problem) -> Problem {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let place = Place { line: number(problem.place.line), column: number(problem.place.column) };
    Problem {
        file: file.path.clone(),
        place: Some(place),
        path: String::new(),
        message: problem.text,
        help: problem.help,
    }
}
