//! Events of the client libraries, brought into our own log lines.
//!
//! Libraries, and adapters for their sake, log through `tracing` with fields of their own; here they
//! become the text of a notice. What the flows have to say goes through the observer directly.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    layer::{Context, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::ports::observer::{Level, Observer};

/// How much the client libraries may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Libraries {
    /// Nothing: what matters of it comes back to their caller as an error, and is said there once.
    Silent,
    /// Warnings and errors.
    Warnings,
    /// Everything down to debug level.
    All,
}

/// Sends the events of libraries, and all of this crate's own, to `observer` for the rest of the process.
///
/// Called a second time it changes nothing.
pub fn install(observer: Arc<dyn Observer>, libraries: Libraries) {
    let level = match libraries {
        Libraries::Silent => LevelFilter::OFF,
        Libraries::Warnings => LevelFilter::WARN,
        Libraries::All => LevelFilter::DEBUG,
    };
    let filter = Targets::new().with_default(level).with_target("topo", LevelFilter::DEBUG);
    let layer = Bridge { observer }.with_filter(filter);
    // An error says that there is a subscriber already: the one of a program that embeds this library.
    drop(tracing_subscriber::registry().with(layer).try_init());
}

struct Bridge {
    observer: Arc<dyn Observer>,
}

impl<S: Subscriber> Layer<S> for Bridge {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG | tracing::Level::TRACE => Level::Debug,
        };
        if !self.observer.wants(level) {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        let target = event.metadata().target();
        self.observer.notice(level, None, &format!("{target}: {}{}", text.message, text.fields));
    }
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = if field.name() == "message" {
            write!(self.message, "{value:?}")
        } else {
            write!(self.fields, " {}={value:?}", field.name())
        };
        debug_assert!(written.is_ok());
    }
}
