//! A process: its flags, streams, clock and environment, and the files it is about.
//!
//! The only place that reads the environment. The adapters for a topology are made in
//! [`super::project`].

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    args::{Global, OutputFormat},
    exit::Exit,
    failure::Failure,
    output::Output,
    progress::Watch,
    project::Project,
};
use crate::{
    adapters::observe::{
        bridge::{self, Libraries},
        line::Form,
        log::Log,
    },
    domain::{code::Code, topology::Topology, version::BrokerVersion},
    ports::{
        clock::Clock,
        observer::{Level, Observer as _},
    },
    spec::{self, Loaded},
};

/// What every command gets.
#[derive(Clone)]
pub struct Process {
    /// The global flags.
    pub global: Global,
    /// The streams.
    pub output: Output,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("global", &self.global).finish_non_exhaustive()
    }
}

/// Looks up an environment variable. Text that is not UTF-8 counts as absent.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

impl Process {
    /// Reads the files; problems inside are for the caller to judge.
    ///
    /// # Errors
    /// The topology file can't be read.
    pub fn read(&self) -> Result<Loaded, Failure> {
        self.read_for(None)
    }

    /// Reads the files, judged for `version` of the broker instead of the one that they name.
    ///
    /// # Errors
    /// The topology file can't be read.
    pub fn read_for(&self, version: Option<BrokerVersion>) -> Result<Loaded, Failure> {
        spec::load_for(&self.global.file, &variable, version)
            .map_err(|error| Failure::of(Exit::Usage, Code::FileMissing, &error))
    }

    /// Reads the files and makes the log; `bar`: a progress bar is wanted.
    ///
    /// # Errors
    /// The topology file can't be read, or has problems; each is named.
    pub fn project(&self, bar: bool) -> Result<Project, Failure> {
        let mut loaded = self.read()?;
        let Some(topology) = loaded.topology.take() else {
            return Err(Failure::from(loaded.problems.as_slice()));
        };
        let project = self.project_of(topology, bar);
        for warning in &loaded.warnings {
            project.watch.notice(Level::Warn, None, &warning.to_string());
        }
        Ok(project)
    }

    /// Judges a text that is to stand at `path`, with the environment of this process.
    #[must_use]
    pub fn judge(&self, path: &Path, text: &str) -> Loaded {
        spec::load_text(path, text, &variable)
    }

    /// Makes the log for a topology; `bar`: a progress bar is wanted.
    #[must_use]
    pub fn project_of(&self, topology: Topology, bar: bool) -> Project {
        let watch = self.watch(bar, &topology);
        Project { topology, watch, process: self.clone() }
    }

    fn watch(&self, bar: bool, topology: &Topology) -> Arc<Watch> {
        let Global { quiet, verbose, log_format, .. } = self.global;
        let form = match log_format {
            OutputFormat::Text => Form::Text,
            OutputFormat::Json => Form::Json,
        };
        let level = match (quiet, verbose) {
            (true, _) => Level::Warn,
            (false, 0) => Level::Info,
            (false, _) => Level::Debug,
        };
        let name = topology.name.as_str().to_owned();
        let clock = Arc::clone(&self.clock);
        let bar = bar && !quiet && self.output.is_watched();
        let watch = Watch::new(bar, |out| Log::new(form, level, Some(name), clock, out));
        let libraries = match verbose {
            0 => Libraries::Silent,
            1 => Libraries::Warnings,
            _ => Libraries::All,
        };
        bridge::install(Arc::clone(&watch) as _, libraries);
        watch
    }

    /// A path in the system's folder for temporary files.
    #[must_use]
    pub fn temporary(&self, name: &str) -> PathBuf {
        std::env::temp_dir().join(name)
    }
}
