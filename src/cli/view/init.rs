//! The result of `init`.

use std::path::Path;

use serde::Serialize;

use super::style::{GOOD, paint};

/// The written files and the next commands.
#[must_use]
pub fn text(dir: &Path, names: &[&str]) -> String {
    let mut out = String::new();
    for name in names {
        out.push_str(&format!("{} {}\n", paint(GOOD, "+"), dir.join(name).display()));
    }
    out.push_str("\nnext:\n");
    if dir != Path::new(".") {
        out.push_str(&format!("  cd {}\n", dir.display()));
    }
    out.push_str(
        "  topo check\n  topo apply\n  topo publish orders.jsonl\n  topo consume --all --until-empty\n",
    );
    out
}

/// The written files.
#[must_use]
pub fn json(dir: &Path, names: &[&str]) -> String {
    #[derive(Serialize)]
    struct Json {
        files: Vec<String>,
    }
    super::json(&Json { files: names.iter().map(|name| dir.join(name).display().to_string()).collect() })
}
