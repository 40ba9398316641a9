//! The two streams: results on standard output, talk on standard error.
//!
//! Invariant: stdout-is-data. Views always colour; the streams take colours out where they are not
//! wanted (no terminal, `NO_COLOR`, `--no-color`). A reader that went away is a quiet success.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};

use super::{args::OutputFormat, failure::Failure, view};
use crate::domain::code::Code;

/// Where output goes, decided once from the arguments and the environment.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Form of the result.
    pub format: OutputFormat,
    /// Whether colours are forbidden.
    no_color: bool,
    /// Whether somebody can see standard error and answer on standard input.
    interactive: bool,
    /// Whether somebody can see standard error.
    watched: bool,
}

impl Output {
    /// Looks at the process's streams.
    #[must_use]
    pub fn new(format: OutputFormat, no_color: bool) -> Self {
        let watched = io::stderr().is_terminal();
        Self { format, no_color, interactive: watched && io::stdin().is_terminal(), watched }
    }

    /// Whether a question can be asked.
    #[must_use]
    pub const fn is_interactive(self) -> bool {
        self.interactive
    }

    /// Whether a progress bar would be seen.
    #[must_use]
    pub const fn is_watched(self) -> bool {
        self.watched
    }

    /// Writes a result.
    ///
    /// # Errors
    /// Standard output can't be written, and not because its reader went away.
    pub fn result(self, text: &str) -> Result<(), Failure> {
        let out = io::stdout().lock();
        let choice = if self.no_color { ColorChoice::Never } else { AutoStream::choice(&out) };
        let mut out = AutoStream::new(out, choice);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let failure =
                    Failure::new(super::exit::Exit::Failed, Code::OutputFailed, "can't write the result");
                Err(failure.because(Some(&error)))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes a text or a JSON document, whichever was asked for.
    ///
    /// # Errors
    /// See [`Self::result`].
    pub fn either(self, text: impl FnOnce() -> String, json: impl FnOnce() -> String) -> Result<(), Failure> {
        match self.format {
            OutputFormat::Text => self.result(&text()),
            OutputFormat::Json => self.result(&json()),
        }
    }

    /// Writes talk. Nothing can be done about a standard error that fails.
    pub fn talk(self, text: &str) {
        let err = io::stderr().lock();
        let choice = if self.no_color { ColorChoice::Never } else { AutoStream::choice(&err) };
        drop(AutoStream::new(err, choice).write_all(text.as_bytes()));
    }

    /// Writes a failure.
    pub fn failure(self, failure: &Failure) {
        self.talk(&view::failure::text(failure));
    }

    /// Asks a question; anything but `y` or `yes` is a no.
    ///
    /// # Errors
    /// Refused when nobody can answer; names the flag that answers for them.
    pub fn confirm(self, question: &str) -> Result<bool, Failure> {
        if !self.interactive {
            return Err(Failure::new(
                super::exit::Exit::Refused,
                Code::ConfirmNeeded,
                "a confirmation is needed and there is no terminal to ask on; add --yes",
            ));
        }
        self.talk(&format!("{question} [y/N] "));
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        Ok(read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks for a name to be typed; anything else is a no.
    ///
    /// # Errors
    /// Refused when nobody can answer; names the flag that answers for them.
    pub fn typed(self, question: &str, name: &str) -> Result<bool, Failure> {
        if !self.interactive {
            return Err(Failure::new(
                super::exit::Exit::Refused,
                Code::ConfirmNeeded,
                format!("a confirmation is needed and there is no terminal to ask on; add --confirm {name}"),
            ));
        }
        self.talk(&format!("{question} "));
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        Ok(read.is_ok() && answer.trim_end_matches(['\r', '\n']) == name)
    }
}
