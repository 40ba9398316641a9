//! `topo check --definitions`: an export of a broker's definitions, judged like the broker itself.
//!
//! The objects of the topology that it holds are compared and linted; an object that it does not hold is
//! told, not judged, because an export may come from before the first apply.

use std::{fs, path::Path};

use crate::{
    adapters::management::{definitions, target::Target},
    cli::{
        exit::Exit,
        failure::Failure,
        view::{check::Finding, plan},
    },
    domain::{
        code::Code,
        desired::Desired,
        diff::diff,
        lint::{arguments::Weight, live},
        plan::{Action, Change, Kind, Plan},
        topology::Topology,
    },
    spec::Problem,
};

/// What an export says.
pub(super) struct Judged {
    /// What endangers the topology.
    pub findings: Vec<Finding>,
    /// What it does not hold, and what could be better.
    pub warnings: Vec<Problem>,
}

/// Judges the export in `file`.
///
/// # Errors
/// It can't be read, or is none of the topology's vhost.
pub(super) fn judge(topology: &Topology, file: &Path) -> Result<Judged, Failure> {
    let text = fs::read_to_string(file).map_err(|error| {
        let text = format!("can't read {}", file.display());
        Failure::new(Exit::Usage, Code::FileMissing, text).because(Some(&error))
    })?;
    let target = Target::new(&topology.broker.url, None)?;
    let observed = definitions::observed(topology, target.vhost(), &text).map_err(|error| {
        let text = format!("can't use {}", file.display());
        Failure::new(Exit::Usage, Code::FileInvalid, text).because(Some(&error))
    })?;
    let Plan { changes, unchecked, .. } = diff(topology, &observed, &[]);
    let broker = || changes.iter().filter(|change| change.kind != Kind::Store);
    let mut findings: Vec<_> = broker()
        .filter(|change| {
            change.is_refusal() || (change.action == Action::Foreign && !change.is_informational())
        })
        .map(of_change)
        .collect();
    let warning = |message: String| Problem {
        file: file.to_owned(),
        place: None,
        path: String::new(),
        message,
        help: None,
    };
    let mut warnings: Vec<_> = unchecked.into_iter().map(warning).collect();
    for told in live::queues(&Desired::of(topology), &observed) {
        let name = few(&told.queues);
        let text = format!("{} {}", told.finding.argument, told.finding.text);
        if told.finding.weight >= Weight::Hazard {
            findings.push(Finding { kind: Kind::Queue.as_str(), name, code: Code::ArgumentHazard, text });
        } else {
            warnings.push(warning(format!("queue {name}: {text}")));
        }
    }
    let missing: Vec<_> = broker().filter(|change| change.action == Action::Create).collect();
    if !missing.is_empty() {
        let names = missing.iter().map(|change| format!("{} {}", change.kind.as_str(), change.name));
        let names: Vec<_> = names.collect();
        warnings.push(warning(format!("it does not hold {}", few(&names))));
    }
    Ok(Judged { findings, warnings })
}

fn of_change(change: &Change) -> Finding {
    let fields: Vec<_> = change.fields.iter().map(plan::differing).collect();
    let text = if fields.is_empty() { "the file does not know it".to_owned() } else { fields.join("; ") };
    Finding {
        kind: change.kind.as_str(),
        name: change.name.clone(),
        code: change.hazard.unwrap_or(Code::Immutable),
        text,
    }
}

/// The first names of many.
fn few(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [first] => first.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}
