//! Saved plans on disk: written whole or not at all, readable by their owner alone.
//!
//! Names of queues and hosts are nobody else's business, though no secret stands in the file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process,
};

use super::{exit::Exit, failure::Failure};
use crate::{
    domain::{code::Code, saved::SavedPlan},
    spec::plan_file,
};

/// Writes `plan` to `path`, replacing what is there.
///
/// # Errors
/// The file can't be written; what was there is still there.
pub fn write(path: &Path, plan: &SavedPlan) -> Result<(), Failure> {
    let failed = |error: &dyn std::error::Error| {
        let text = format!("can't write the plan to {}", path.display());
        Failure::new(Exit::Failed, Code::OutputFailed, text).because(Some(error))
    };
    let text = plan_file::write(plan).map_err(|error| failed(&error))?;
    replace(path, &text).map_err(|error| failed(&error))
}

/// Reads the plan at `path`.
///
/// # Errors
/// The file can't be read or is no saved plan.
pub fn read(path: &Path) -> Result<SavedPlan, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        let text = format!("can't read the plan {}", path.display());
        Failure::usage(Code::FileMissing, text)
            .because(Some(&error))
            .help("`topo plan --out FILE` writes one")
    })?;
    plan_file::read(&text).map_err(|error| {
        let text = format!("{} is not a saved plan", path.display());
        Failure::usage(Code::FileInvalid, text)
            .because(Some(&error))
            .help("`topo plan --out FILE` writes one")
    })
}

/// A new file is put in the place of the old one, so that nobody ever reads half of it. A link is followed.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", process::id()));
    let beside = target.with_file_name(name);
    let written = create(&beside, text).and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        drop(fs::remove_file(&beside));
        return written;
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.map_or_else(|| PathBuf::from("."), Path::to_owned))?.sync_all()
}

fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
