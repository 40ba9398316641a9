//! Child processes that do not outlive the test run, even when it is killed.
//!
//! Between the test and the server stands a shell that holds the read end of a pipe: when the test process
//! ends, the pipe closes and the shell kills the server and removes its directory.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{ChildStdin, Command, ExitStatus, Stdio},
    time::Duration,
};

use super::wait::wait_blocking;

/// `END_SIGNAL` in the environment names another signal than KILL for a server that has to clean up.
/// `$1`: the directory to remove at the end, `$2`: the log, the rest: the command.
const WATCHER: &str = r#"
dir=$1 log=$2; shift 2
exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- & pid=$!
echo "$pid"
( read -r _ <&3; trap '' TERM; kill -"${END_SIGNAL:-KILL}" "$pid" ) >/dev/null 2>&1 & guard=$!
exec 3<&-
wait "$pid"; code=$?
kill "$guard"
# A guard that the signal could not end has seen the pipe close.
if wait "$guard" && [ -n "$dir" ] && [ -z "$TOPO_TEST_KEEP" ]; then rm -rf "$dir"; fi
exit "$code"
"#;

/// A running server.
#[derive(Debug)]
pub(crate) struct Child {
    watcher: std::process::Child,
    pipe: Option<ChildStdin>,
    pid: u32,
    log: PathBuf,
}

impl Child {
    /// Starts `command` with its output appended to `log`. `dir` is removed when this process ends while
    /// the child still runs.
    pub(crate) fn start(
        command: &[impl AsRef<OsStr>],
        env: &[(&str, String)],
        dir: Option<&Path>,
        log: &Path,
    ) -> Self {
        let mut watcher = Command::new("sh")
            .arg("-c")
            .arg(WATCHER)
            .arg("watcher")
            .arg(dir.unwrap_or(Path::new("")))
            .arg(log)
            .args(command)
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It reports every kill.
            .stderr(Stdio::null())
            // A process group of its own: an interrupt typed at the terminal is for the test alone.
            .process_group(0)
            .spawn()
            .expect("a shell starts");
        let pipe = watcher.stdin.take();
        let mut line = String::new();
        let out = watcher.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("the shell says the process id");
        let pid = line.trim().parse().expect("a process id");
        Self { watcher, pipe, pid, log: log.to_owned() }
    }

    /// Sends a signal by name, such as `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.pid, name);
    }

    /// How it ended; `None` while it runs.
    pub(crate) fn exited(&mut self) -> Option<ExitStatus> {
        self.watcher.try_wait().expect("the shell is a child of this process")
    }

    /// Waits for its end.
    pub(crate) fn wait(&mut self, limit: Duration) {
        let log = self.log.clone();
        wait_blocking(&format!("the end of a server, see {}", log.display()), limit, || self.exited());
    }

    /// The end of its log, for failure texts.
    pub(crate) fn log_tail(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(30)..].join("\n")
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // Nothing is left to do when even this fails.
        drop(self.watcher.wait());
    }
}

/// Sends a signal to a process that this test started.
pub(crate) fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
    assert!(status.expect("kill starts").success(), "no process {pid} to send {name} to");
}
