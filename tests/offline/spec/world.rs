//! A throw-away folder with a topology.yaml, and an environment of its own.

use std::{collections::BTreeMap, fs, path::Path};

use topo::spec::{self, Loaded};

pub(crate) struct World {
    dir: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl World {
    pub(crate) fn new(topology: &str) -> Self {
        let world = Self { dir: tempfile::tempdir().unwrap(), env: BTreeMap::new() };
        world.with("topology.yaml", topology)
    }

    pub(crate) fn with(self, file: &str, text: &str) -> Self {
        let path = self.dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn load(&self) -> Loaded {
        spec::load(&self.dir.path().join("topology.yaml"), &|name| self.env.get(name).cloned()).unwrap()
    }

    /// Problems and warnings, one a line, without the folder's random name.
    pub(crate) fn said(&self) -> String {
        let loaded = self.load();
        let mut out = String::new();
        for problem in &loaded.problems {
            out.push_str(&format!("{problem:#}\n"));
        }
        for warning in loaded.warnings.iter().chain(&loaded.advice) {
            out.push_str(&format!("warning: {warning:#}\n"));
        }
        self.anonymous(&out)
    }

    pub(crate) fn anonymous(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.dir.path().display()), "")
    }
}

/// The smallest complete file.
pub(crate) const THREE_LINES: &str = "topology: orders\nshards: 8\nkey: /orderId\n";
