//! The observer that writes one log line per event.
//!
//! Does not decide what is worth a line, nor where lines go: the writer is given. A writer that fails is
//! ignored, because watching must never stop the work.

use std::{
    fmt,
    io::Write,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, UNIX_EPOCH},
};

use super::line::{Form, Line};
use crate::{
    domain::{message::ShardId, secret::mask},
    ports::{
        clock::Clock,
        observer::{Level, MessageEvent, Observer},
    },
};

/// Writes log lines of at least one level.
pub struct Log {
    form: Form,
    level: Level,
    topology: Option<String>,
    clock: Arc<dyn Clock>,
    out: Mutex<Box<dyn Write + Send>>,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("form", &self.form).field("level", &self.level).finish_non_exhaustive()
    }
}

impl Log {
    /// Writes events of `level` and above to `out`.
    #[must_use]
    pub fn new(
        form: Form,
        level: Level,
        topology: Option<String>,
        clock: Arc<dyn Clock>,
        out: Box<dyn Write + Send>,
    ) -> Self {
        Self { form, level, topology, clock, out: Mutex::new(out) }
    }

    fn write(&self, level: Level, line: Line<'_>) {
        let since = Duration::from_millis(u64::try_from(self.clock.unix_ms()).unwrap_or(0));
        let timestamp = humantime::format_rfc3339_millis(UNIX_EPOCH + since).to_string();
        let text =
            Line { timestamp: &timestamp, level: word(level), topology: self.topology.as_deref(), ..line }
                .render(self.form);
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        // One write per line, so that lines of several processes on one pipe do not mix.
        drop(out.write_all(text.as_bytes()));
    }
}

impl Observer for Log {
    fn wants(&self, level: Level) -> bool {
        level >= self.level
    }

    fn message(&self, event: &MessageEvent<'_>) {
        if !self.wants(event.level) {
            return;
        }
        self.write(
            event.level,
            Line {
                consumer: event.shard_id.map(|id| id.consumer.as_str()),
                shard: Some(event.shard),
                message_id: Some(event.message_id),
                event_type: event.event_type,
                key: Some(event.key),
                trace_id: event.trace_id,
                correlation_id: event.correlation_id,
                destination: Some(event.destination),
                attempt: Some(event.attempt),
                redelivered: Some(event.redelivered),
                status: Some(event.status.as_str()),
                duration_ms: event.duration.map(|d| d.as_secs_f64() * 1000.0),
                error: event.error,
                ..Line::default()
            },
        );
    }

    fn notice(&self, level: Level, shard: Option<&ShardId>, text: &str) {
        if !self.wants(level) {
            return;
        }
        // The texts of client libraries end up here; a URL among them must not bring its password along.
        let text = mask(text);
        self.write(
            level,
            Line {
                consumer: shard.map(|id| id.consumer.as_str()),
                shard: shard.map(|id| id.shard),
                message: Some(&text),
                ..Line::default()
            },
        );
    }

    fn progress(&self, _read: u64, _confirmed: u64, _in_flight: u64) {}
}

const fn word(level: Level) -> &'static str {
    match level {
        Level::Debug => "DEBUG",
        Level::Info => "INFO",
        Level::Warn => "WARN",
        Level::Error => "ERROR",
    }
}
