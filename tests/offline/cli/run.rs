//! Runs the real binary in a folder of its own, with an environment that holds nothing of ours.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

/// What a run of the binary left.
#[derive(Debug)]
pub(super) struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("standard output is no JSON document: {error}\n{self:#?}"))
    }

    /// Both streams.
    pub(super) fn all(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// A folder to run in.
pub(super) struct Place {
    dir: TempDir,
    env: Vec<(String, String)>,
}

impl Place {
    pub(super) fn empty() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), env: Vec::new() }
    }

    /// The smallest topology.
    pub(super) fn minimal() -> Self {
        Self::with("topology: orders\nshards: 8\nkey: /orderId\n")
    }

    pub(super) fn with(topology: &str) -> Self {
        let place = Self::empty();
        place.write("topology.yaml", topology);
        place
    }

    /// What `topo init` writes.
    pub(super) fn example() -> Self {
        let place = Self::empty();
        let ran = place.topo(&["init"]);
        assert_eq!(ran.code, 0, "{ran:#?}");
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn topo(&self, args: &[&str]) -> Ran {
        self.topo_given(args, "")
    }

    pub(super) fn topo_given(&self, args: &[&str], stdin: &str) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_topo"))
            .args(args)
            .current_dir(self.dir.path())
            .env_clear()
            .env("TMPDIR", self.dir.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let text = stdin.to_owned();
        // A child that does not read its input closes the pipe; that is its right.
        let writer = std::thread::spawn(move || drop(pipe.write_all(text.as_bytes())));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Ran {
            code: output.status.code().expect("ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(super) fn dir(&self) -> &Path {
        self.dir.path()
    }
}
