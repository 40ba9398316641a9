//! The loop: send what may be sent, take verdicts, read more, reconnect.

use std::time::Duration;

use super::{Ended, Error, Job, Line, Lines, Outcome, books::Books, compose::compose, tell};
use crate::{
    domain::{
        route::Routed,
        window::{Answer, GaveUp, Settled, Window},
    },
    ports::{
        link::{LinkError, LinkKind},
        observer::{Level, Status},
        publisher::{self, LinkEvent, PublishLink, Verdict},
    },
};

/// How long a stop waits for verdicts of what is in flight.
const STOP_DEADLINE: Duration = Duration::from_secs(10);
/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

/// Publishes every line and accounts for each (confirm-or-report).
///
/// Returns when the input has ended and every line is confirmed, invalid, failed or skipped; or when it
/// is stopped and nothing is in flight any more; or when going on is pointless.
pub async fn run(mut job: Job<'_>, mut lines: Lines) -> Outcome {
    let start = job.clock.elapsed();
    let opened = tokio::select! {
        biased;
        () = tell::stopped(&mut job.stop) => None,
        opened = job.broker.open(job.map.count()) => Some(opened),
    };
    let Some(opened) = opened else {
        let report = Books::new(job.map.count(), start).finish(Vec::new(), start);
        return Outcome { report, ended: Ended::Interrupted };
    };
    let link = match opened {
        Ok(link) => link,
        Err(error) => {
            let report = Books::new(job.map.count(), start).finish(Vec::new(), start);
            return Outcome { report, ended: Ended::Failed(Error::Start(error)) };
        }
    };
    let mut publisher = Publisher {
        window: Window::new(job.settings),
        books: Books::new(job.map.count(), start),
        link: Some(link),
        connected_at: job.clock.elapsed(),
        attempts: 0,
        blocked: false,
        stop_by: None,
        progress_due: start,
        last_refusal: String::new(),
    };
    let ended = publisher.work(&mut job, &mut lines).await;
    publisher.finish(&job, ended).await
}

/// The state of one run.
pub(super) struct Publisher {
    pub(super) window: Window,
    pub(super) books: Books,
    /// Open, except while another one is being opened.
    pub(super) link: Option<Box<dyn PublishLink>>,
    pub(super) connected_at: Duration,
    /// Connection attempts since the last healthy connection.
    pub(super) attempts: u32,
    pub(super) blocked: bool,
    /// Set by a stop: when waiting for verdicts ends.
    stop_by: Option<Duration>,
    progress_due: Duration,
    last_refusal: String,
}

enum Wake {
    Stop,
    Link(Result<LinkEvent, LinkError>),
    Line(Option<Line>),
    Due,
}

impl Publisher {
    async fn work(&mut self, job: &mut Job<'_>, lines: &mut Lines) -> Ended {
        let mut input_open = true;
        loop {
            let now = job.clock.elapsed();
            if *job.stop.borrow() {
                self.stop_by.get_or_insert(now + STOP_DEADLINE);
            }
            let stopping = self.stop_by.is_some();
            if self.stop_by.is_some_and(|by| by <= now) {
                return Ended::Interrupted;
            }
            self.tell_progress(job, now);
            // While blocked nothing is closed; what became overdue is unknown all the same.
            let mut trouble = (!self.blocked && self.window.is_overdue(now)).then(|| {
                LinkError::new(LinkKind::Lost, "a confirm did not come within publish.confirm_timeout")
            });
            if trouble.is_none() && !stopping && !self.blocked {
                trouble = self.send_ready(job).await.err();
            }
            if trouble.is_none() {
                if self.window.in_flight() == 0 && (stopping || (!input_open && self.window.is_empty())) {
                    return if stopping { Ended::Interrupted } else { Ended::Complete };
                }
                let reading = input_open && !stopping && self.window.has_room();
                trouble = match self.wait(job, lines, reading, stopping).await {
                    Wake::Line(Some(line)) => {
                        self.admit(job, line);
                        None
                    }
                    Wake::Line(None) => {
                        input_open = false;
                        None
                    }
                    Wake::Due | Wake::Stop => None,
                    Wake::Link(Ok(event)) => self.take(job, event).err(),
                    Wake::Link(Err(error)) => Some(error),
                };
            }
            if let Some(error) = trouble {
                self.put_back(job, &error);
                if stopping {
                    return Ended::Interrupted;
                }
                match self.reconnect(job, error).await {
                    Ok(()) => {}
                    Err(Some(error)) => return Ended::Failed(error),
                    Err(None) => return Ended::Interrupted,
                }
            }
        }
    }

    async fn wait(&mut self, job: &mut Job<'_>, lines: &mut Lines, reading: bool, stopping: bool) -> Wake {
        let now = job.clock.elapsed();
        // Nothing of the window is acted on while blocked or stopping.
        let window_due = if self.blocked || stopping { None } else { self.window.next_due() };
        let due = [window_due, self.stop_by].into_iter().flatten().fold(self.progress_due, Duration::min);
        // A deadline passes only when the clock is beyond it.
        let pause = due.saturating_sub(now) + Duration::from_millis(1);
        tokio::select! {
            biased;
            () = tell::stopped(&mut job.stop), if !stopping => Wake::Stop,
            event = next(&mut self.link) => Wake::Link(event),
            line = lines.recv(), if reading => Wake::Line(line),
            () = job.clock.sleep(pause) => Wake::Due,
        }
    }

    async fn send_ready(&mut self, job: &Job<'_>) -> Result<(), LinkError> {
        while let Some((ticket, message, attempt)) = self.window.send_next(job.clock.elapsed()) {
            if attempt > 1 {
                self.books.report.retried += 1;
                tell::message(job, Status::Republished, &message, attempt, None);
            }
            let Some(link) = &mut self.link else { return Err(no_link()) };
            link.send(ticket, message, job.clock.unix_ms()).await?;
        }
        Ok(())
    }

    fn admit(&mut self, job: &Job<'_>, line: Line) {
        let position = self.books.read(&line);
        match line.bytes.and_then(|bytes| compose(job, bytes)) {
            Ok(message) => {
                if !self.window.admit(position, message) {
                    self.books.skipped(position);
                }
            }
            Err(text) => self.books.invalid(position, text),
        }
    }

    fn take(&mut self, job: &Job<'_>, event: LinkEvent) -> Result<(), LinkError> {
        match event {
            LinkEvent::Verdicts(verdicts) => {
                let now = job.clock.elapsed();
                for verdict in verdicts {
                    self.verdict(job, verdict, now)?;
                }
            }
            LinkEvent::Blocked(reason) => {
                self.blocked = true;
                job.observer.notice(Level::Warn, None, &format!("broker blocked: {reason} alarm, waiting"));
            }
            LinkEvent::Unblocked => {
                self.blocked = false;
                job.observer.notice(Level::Info, None, "broker unblocked");
            }
        }
        Ok(())
    }

    fn verdict(&mut self, job: &Job<'_>, verdict: Verdict, now: Duration) -> Result<(), LinkError> {
        let (answer, refusal) = match &verdict.outcome {
            publisher::Outcome::Confirmed => (Answer::Confirmed, None),
            publisher::Outcome::Returned(text) => {
                self.books.report.returned += 1;
                (Answer::Refused, Some((Status::Returned, format!("returned: {text}"))))
            }
            publisher::Outcome::Nacked => {
                self.books.report.nacked += 1;
                (Answer::Refused, Some((Status::Nacked, "nacked by the broker".to_owned())))
            }
        };
        let why = refusal.as_ref().map_or("", |(_, text)| text.as_str());
        match self.window.verdict(verdict.ticket, answer, now) {
            Settled::Confirmed(position, message) => {
                tell::message(job, Status::Confirmed, &message, 1, None);
                self.books.confirmed(position, &message);
            }
            Settled::Again(message) => {
                if let Some((status, text)) = &refusal {
                    tell::message(job, *status, &message, 1, Some(text));
                    self.tell_refusal(job, text, &message);
                }
            }
            Settled::GaveUp(gave_up) => self.gave_up(job, &gave_up, why),
            Settled::Late => {
                return Err(LinkError::new(
                    LinkKind::Lost,
                    "a confirm came later than publish.confirm_timeout",
                ));
            }
            Settled::Stale => {}
        }
        Ok(())
    }

    /// Says once per kind of refusal that the broker refuses, so that a hang explains itself.
    fn tell_refusal(&mut self, job: &Job<'_>, text: &str, message: &Routed) {
        if self.last_refusal != text {
            text.clone_into(&mut self.last_refusal);
            let key = message.routing_key();
            job.observer.notice(Level::Warn, None, &format!("{text} (routing key {key}), trying again"));
        }
    }

    fn gave_up(&mut self, job: &Job<'_>, gave_up: &GaveUp, why: &str) {
        let why = format!("given up after {} s: {why}", job.settings.give_up_after.as_secs());
        let key = gave_up.message.envelope().key.as_str();
        job.observer.notice(Level::Error, None, &format!("key {key:?} {why}"));
        self.books.gave_up(gave_up, &why);
    }

    /// The connection is over: everything in flight goes back to its place, with its id.
    fn put_back(&mut self, job: &Job<'_>, error: &LinkError) {
        for gave_up in self.window.lost(job.clock.elapsed()) {
            self.gave_up(job, &gave_up, &error.to_string());
        }
    }

    fn tell_progress(&mut self, job: &Job<'_>, now: Duration) {
        if now >= self.progress_due {
            self.progress_due = now + PROGRESS_EVERY;
            let in_flight = u64::try_from(self.window.in_flight()).unwrap_or(u64::MAX);
            job.observer.progress(self.books.report.read, self.books.report.confirmed, in_flight);
        }
    }

    async fn finish(mut self, job: &Job<'_>, ended: Ended) -> Outcome {
        let why = match &ended {
            Ended::Complete | Ended::Interrupted => "in doubt when the run was stopped".to_owned(),
            Ended::Failed(error) => format!("in doubt when the run ended: {error}"),
        };
        for (position, message, sent) in self.window.drain() {
            if sent {
                self.books.failed(position, message.envelope().key.as_str(), &why);
            } else {
                self.books.skipped(position);
            }
        }
        let orderly = !self.blocked && matches!(ended, Ended::Complete | Ended::Interrupted);
        if let Some(link) = self.link.take() {
            link.close(orderly).await;
        }
        let now = job.clock.elapsed();
        job.observer.progress(self.books.report.read, self.books.report.confirmed, 0);
        Outcome { report: self.books.finish(self.window.failed_keys(), now), ended }
    }
}

async fn next(link: &mut Option<Box<dyn PublishLink>>) -> Result<LinkEvent, LinkError> {
    match link {
        Some(link) => link.next().await,
        None => Err(no_link()),
    }
}

fn no_link() -> LinkError {
    LinkError::new(LinkKind::Lost, "there is no connection")
}
