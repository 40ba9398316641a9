//! `topo publish`: lines of input to confirmed messages.
//!
//! Invariant: confirm-or-report (the report is printed however the run ended).

use std::thread;

use tokio::sync::mpsc;

use super::ended;
use crate::{
    cli::{
        args::PublishArgs,
        context::Process,
        exit::Exit,
        failure::Failure,
        input::{InputLine, Source, feed},
        signal::Stop,
        view,
    },
    domain::{code::Code, report::PublishReport, route::ShardMap},
    flows::publish::{self, Ended, Error, Job, Line, Lines},
    ports::observer::{Level, Observer as _},
};

/// Lines that wait between the reading thread and the flow: few, because each may be `max_body` long.
const AHEAD: usize = 64;

/// Publishes.
///
/// # Errors
/// Nothing was sent, or not everything was confirmed.
pub(super) async fn run(process: &Process, args: &PublishArgs) -> Result<Exit, Failure> {
    let sources = Source::all(&args.files)?;
    let project = process.project(true)?;
    let topology = &project.topology;
    let broker = project.publish_broker()?;
    let fields = project.fields();
    if topology.message.id.is_none() {
        let text = "message.id names no field: ids are generated, and the same input published again is new messages";
        project.watch.notice(Level::Warn, None, text);
    }
    let stop = project.listen()?;
    if process.output.is_interactive() && sources.contains(&Source::Stdin) && !process.global.quiet {
        process.output.talk("reading JSON Lines from the terminal; Ctrl-D ends them\n");
    }
    let job = Job {
        broker: &broker,
        map: &ShardMap::new(topology),
        settings: topology.publish,
        fields: fields.as_ref(),
        new_id: &|| uuid::Uuid::now_v7().to_string(),
        clock: process.clock.as_ref(),
        observer: project.watch.as_ref(),
        stop: stop.receiver(),
    };
    let outcome = publish::run(job, read(sources, topology.publish.max_body)).await;
    project.watch.finish();
    if !matches!(outcome.ended, Ended::Failed(Error::Start(_))) {
        let report = &outcome.report;
        process.output.either(|| view::publish::text(report), || view::publish::json(report))?;
    }
    // Without ids of the producer a line published again is another message.
    let keeps_ids = topology.message.id.is_some();
    let verdict = verdict(outcome.ended, &outcome.report, &stop);
    verdict.map_err(|failure| if keeps_ids { failure } else { failure.safe_again(outcome.report.read == 0) })
}

/// Reads on a thread of its own: a terminal or pipe that stays silent can't be interrupted.
fn read(sources: Vec<Source>, max_body: u64) -> Lines {
    let (sender, lines) = mpsc::channel(AHEAD);
    thread::spawn(move || {
        feed(&sources, max_body, |InputLine { source, number, bytes }| {
            // Nobody takes lines any more once the run has ended or was stopped.
            sender.blocking_send(Line { source, number, bytes }).is_ok()
        });
    });
    lines
}

fn verdict(how: Ended, report: &PublishReport, stop: &Stop) -> Result<Exit, Failure> {
    let left = report.invalid + report.failed + report.skipped;
    match how {
        Ended::Complete if left == 0 => Ok(Exit::Done),
        Ended::Complete => {
            let text = format!("{left} of {} lines were not confirmed", report.read);
            Err(Failure::new(Exit::No, Code::PublishIncomplete, text))
        }
        Ended::Interrupted => ended(stop),
        Ended::Failed(error) => Err(match &error {
            Error::Start(link) | Error::Refused(link) | Error::GaveUp(link) => {
                Failure::from(link).below(&error)
            }
        }),
    }
}
