//! Runs the `topo` binary the way a user does: in a directory, with files, environment and signals.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
};

use super::child::signal;

/// How long a command may take when a test names no limit.
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// A working directory with the environment for the commands run in it.
#[derive(Debug)]
pub(crate) struct Workdir {
    dir: TempDir,
    outputs: TempDir,
    env: Vec<(String, String)>,
    runs: AtomicU32,
}

impl Workdir {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        let directory = || tempfile::Builder::new().prefix("topo-work-").tempdir().expect("a directory");
        Self { dir: directory(), outputs: directory(), env: Vec::new(), runs: AtomicU32::new(0) }
    }

    /// Writes a file; its folder is made.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("below the directory")).expect("a writable directory");
        fs::write(path, text).expect("a writable directory");
        self
    }

    /// Sets an environment variable, such as `TOPO_BROKER_URL`.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Starts `topo` with `args`. Killed with SIGKILL when dropped.
    pub(crate) fn spawn(&self, args: &[&str]) -> Running {
        self.spawn_program(env!("CARGO_BIN_EXE_topo"), args)
    }

    /// Starts any program.
    pub(crate) fn spawn_program(&self, program: &str, args: &[&str]) -> Running {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let output = |name: &str| self.outputs.path().join(format!("{number}.{name}"));
        let (stdout, stderr) = (output("out"), output("err"));
        let create = |path: &Path| fs::File::create(path).expect("a writable directory");
        let child = Command::new(program)
            .args(args)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(create(&stdout))
            .stderr(create(&stderr))
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        Running { child, command: format!("{program} {}", args.join(" ")), stdout, stderr }
    }

    /// Runs `topo` with `args` to its end.
    pub(crate) async fn topo(&self, args: &[&str]) -> Finished {
        self.spawn(args).wait(RUN_LIMIT).await
    }
}

/// A running command.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    command: String,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    /// Writes to its standard input.
    pub(crate) async fn write(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().expect("standard input is open");
        stdin.write_all(text.as_bytes()).await.expect("it reads its standard input");
        stdin.flush().await.expect("it reads its standard input");
    }

    /// Sends a signal by name, such as `TERM` or `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.id().expect("it runs"), name);
    }

    /// Sends a signal unless it has ended.
    pub(crate) fn signal_if_running(&mut self, name: &str) {
        // A child that was not waited for keeps its number, so nobody else can be hit.
        if self.is_running() {
            self.signal(name);
        }
    }

    /// Its resident memory, in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id().expect("it runs"));
        let status = fs::read_to_string(status).expect("a running process");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a figure of the kernel");
        line.split_whitespace().nth(1).and_then(|figure| figure.parse().ok()).expect("a number")
    }

    /// Whether it runs.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child of this process").is_none()
    }

    /// What it wrote to standard output so far.
    pub(crate) fn stdout(&self) -> String {
        read(&self.stdout)
    }

    /// What it wrote to standard error so far.
    pub(crate) fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// Closes its standard input and waits for its end.
    pub(crate) async fn wait(mut self, limit: Duration) -> Finished {
        drop(self.child.stdin.take());
        let Ok(status) = tokio::time::timeout(limit, self.child.wait()).await else {
            panic!("`{}` did not end within {limit:?}:\n{}", self.command, self.stderr());
        };
        let status = status.expect("a child of this process");
        Finished { status, stdout: self.stdout(), stderr: self.stderr() }
    }
}

/// A command that ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// How.
    pub(crate) status: ExitStatus,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Finished {
    /// Demands an exit code.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "\n{}\n{}", self.stdout, self.stderr);
        self
    }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("the output file")).into_owned()
}
