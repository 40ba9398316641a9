//! What a person sees while a run goes on: log lines and, on a terminal, a progress bar below them.
//!
//! The bar is drawn only when somebody watches; otherwise nothing but log lines is ever written.

use std::{
    fmt,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    adapters::observe::log::Log,
    domain::{message::ShardId, plan::Step},
    ports::observer::{Level, MessageEvent, Observer},
};

/// How often the bar is drawn again.
const TICK: Duration = Duration::from_millis(200);

/// Log lines with an optional bar.
pub struct Watch {
    log: Log,
    bar: Option<ProgressBar>,
    shown: AtomicBool,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("log", &self.log).finish_non_exhaustive()
    }
}

impl Watch {
    /// Makes the log with `log`, given the writer that keeps out of the bar's way; `with_bar` when a
    /// terminal shows standard error.
    pub fn new(with_bar: bool, log: impl FnOnce(Box<dyn Write + Send>) -> Log) -> Arc<Self> {
        let bar = with_bar.then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        let log = log(Box::new(AboveBar { bar: bar.clone() }));
        Arc::new(Self { log, bar, shown: AtomicBool::new(false) })
    }

    /// Shows that `step` is done, as number `done` of `total`.
    pub fn step(&self, done: usize, total: usize, step: &Step) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{done} of {total} steps done"));
            bar.tick();
        }
        if self.log.wants(Level::Debug) {
            self.log.notice(Level::Debug, None, &format!("done {done} of {total}: {step}"));
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watch {
    fn wants(&self, level: Level) -> bool {
        self.log.wants(level)
    }

    fn message(&self, event: &MessageEvent<'_>) {
        self.log.message(event);
    }

    fn notice(&self, level: Level, shard: Option<&ShardId>, text: &str) {
        self.log.notice(level, shard, text);
    }

    fn progress(&self, read: u64, confirmed: u64, in_flight: u64) {
        let Some(bar) = &self.bar else { return };
        if !self.shown.swap(true, Ordering::Relaxed) {
            bar.enable_steady_tick(TICK);
        }
        let seconds = bar.elapsed().as_secs().max(1);
        let rate = confirmed / seconds;
        bar.set_message(format!("{read} read, {confirmed} confirmed, {in_flight} in flight, {rate}/s"));
    }
}

/// Standard error, with the bar out of the way while a line is written.
struct AboveBar {
    bar: Option<ProgressBar>,
}

impl Write for AboveBar {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let write = || io::stderr().lock().write_all(bytes);
        match &self.bar {
            Some(bar) => bar.suspend(write)?,
            None => write()?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
