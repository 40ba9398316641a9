//! `topo consume`: deliveries to committed effects, one thread of control per shard.

use std::sync::Arc;

use super::{ended, single_active};
use crate::{
    cli::{
        args::ConsumeArgs,
        context::Process,
        exit::Exit,
        failure::Failure,
        project::Project,
        signal::{Cause, Stop},
        view,
    },
    domain::{
        code::Code,
        consumer::{Consumer, Dedup, Handler, Mode, OnFailure, SqlFile},
        report::ConsumeReport,
        route::ShardMap,
        rule,
    },
    flows::consume::{self, Ended, Error, Job, Limits},
    ports::{
        observer::{Level, Observer as _},
        store::Store,
    },
};

/// Consumes.
///
/// # Errors
/// Nothing was consumed, or a shard could not go on.
pub(super) async fn run(process: &Process, args: &ConsumeArgs) -> Result<Exit, Failure> {
    let project = process.project(false)?;
    let consumer = consumer(&project, args.consumer.as_deref())?;
    let handler = handler(consumer)?;
    let shards = shards(&project, args)?;
    let topology = &project.topology;
    let limits = Limits {
        until_empty: args.until_empty,
        max_messages: args.max_messages,
        idle_timeout: args.idle_timeout,
    };
    let stop = project.listen()?;
    let queues: Vec<_> =
        shards.into_iter().map(|shard| (shard, topology.queue(&consumer.name, shard))).collect();
    let store = project.store(consumer)?;
    same_rule(&project, store.as_ref()).await?;
    single_active::demand(&project, &queues).await?;
    say_what_waits(&project, consumer);
    let job = Job {
        consumer: consumer.clone(),
        handler: handler.clone(),
        key: topology.shards.key.clone(),
        map: ShardMap::new(topology),
        shards: queues,
        broker: Arc::new(project.consume_broker()?),
        stats: Some(Arc::new(project.management()?)),
        store,
        fields: project.fields(),
        clock: Arc::clone(&process.clock),
        observer: Arc::clone(&project.watch) as _,
        owner: project.owner(),
        limits,
        stop: stop.receiver(),
    };
    let outcome = consume::run(job).await;
    let report = &outcome.report;
    process.output.either(|| view::consume::text(report), || view::consume::json(report))?;
    verdict(outcome.ended, report, limits, &stop)
}

fn verdict(how: Ended, report: &ConsumeReport, limits: Limits, stop: &Stop) -> Result<Exit, Failure> {
    let blocked = !report.blocked.is_empty();
    match how {
        Ended::Complete if blocked => {
            let text = format!("{} of {} shards are blocked", report.blocked.len(), report.per_shard.len());
            Err(Failure::new(Exit::No, Code::Blocked, text))
        }
        Ended::Complete => Ok(Exit::Done),
        // Without another end to wait for, --timeout is the planned end and not a failure.
        Ended::Interrupted if stop.cause() == Some(Cause::Timeout) && limits == Limits::default() => {
            Ok(Exit::Done)
        }
        Ended::Interrupted => ended(stop),
        Ended::Failed(error) => Err(match &error {
            Error::Broker { source, .. } => Failure::from(source).below(&error),
            Error::Store { source, .. } => Failure::from(source).below(&error),
            Error::Worker(_) => Failure::of(Exit::Failed, Code::Internal, &error),
        }),
    }
}

/// The consumer meant: the named one, or the only one.
fn consumer<'a>(project: &'a Project, name: Option<&str>) -> Result<&'a Consumer, Failure> {
    let consumers = &project.topology.consumers;
    let known = || {
        let names: Vec<&str> = consumers.keys().map(AsRef::as_ref).collect();
        if names.is_empty() {
            "the topology has none".to_owned()
        } else {
            format!("it has {}", names.join(", "))
        }
    };
    match name {
        Some(name) => consumers.values().find(|c| c.name.as_str() == name).ok_or_else(|| {
            Failure::usage(
                Code::UnknownConsumer,
                format!("no consumer {name:?} in the topology; {}", known()),
            )
        }),
        None if consumers.len() == 1 => Ok(consumers.values().next()).and_then(|only| {
            only.ok_or_else(|| Failure::usage(Code::UnknownConsumer, "the topology has no consumer"))
        }),
        None => Err(Failure::usage(Code::UnknownConsumer, format!("which consumer is meant? {}", known()))),
    }
}

/// Refuses a count, hash or key other than the recorded one. A store that can't tell is left to the sessions,
/// which say why.
async fn same_rule(project: &Project, store: &dyn Store) -> Result<(), Failure> {
    let topology = &project.topology;
    let recorded = store.shard_rule(topology.name.as_str(), topology.shards.generation).await;
    let Some(change) = recorded.ok().flatten().and_then(|rule| rule::refusal(topology, &rule)) else {
        return Ok(());
    };
    let text = format!("the {} are fixed", change.name);
    let details = view::plan::differences(std::iter::once(&change));
    Err(Failure { details, ..Failure::new(Exit::Refused, Code::ShardRule, text).safe_again(true) })
}

/// Parking and dead-lettering by the consumer are not in this version: whoever counts on them must know.
fn say_what_waits(project: &Project, consumer: &Consumer) {
    let asked = match consumer.on_failure {
        OnFailure::Block => return,
        OnFailure::Park => "park",
        OnFailure::DeadLetter => "dead_letter",
    };
    let text = format!(
        "on_failure: {asked} is not in this version: a message that can't be processed blocks its shard, as with block"
    );
    project.watch.notice(Level::Info, None, &text);
}

fn handler(consumer: &Consumer) -> Result<&SqlFile, Failure> {
    let name = &consumer.name;
    let lacking = |what: &str| {
        Failure::usage(Code::NotSupported, format!("consumer {name}: this version can't run {what}"))
    };
    if consumer.mode == Mode::Batch {
        return Err(lacking("handlers in batch mode"));
    }
    if consumer.dedup != Dedup::MessageId {
        return Err(lacking("dedup other than message_id"));
    }
    match &consumer.handler {
        Some(Handler::Sql(file)) => Ok(file),
        Some(Handler::Exec { .. }) => Err(lacking("exec handlers")),
        Some(Handler::Http { .. }) => Err(lacking("http handlers")),
        Some(Handler::Rust(_)) => Err(lacking("rust handlers")),
        None => Err(Failure::usage(
            Code::HandlerInvalid,
            format!("consumer {name} has no handler: write consumers/{name}/handler.sql"),
        )),
    }
}

/// The shards meant, ascending; each must exist.
fn shards(project: &Project, args: &ConsumeArgs) -> Result<Vec<u32>, Failure> {
    let count = project.topology.shards.count;
    let shards: Vec<u32> = match (args.shard, &args.shards) {
        (Some(shard), _) => vec![shard],
        (None, Some(list)) => list.iter().collect(),
        (None, None) => (0..count).collect(),
    };
    match shards.iter().find(|shard| **shard >= count) {
        None => Ok(shards),
        Some(beyond) => Err(Failure::usage(
            Code::Usage,
            format!("no shard {beyond}: the topology has {count} shards, 0 to {}", count.saturating_sub(1)),
        )),
    }
}
