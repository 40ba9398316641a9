//! A saved plan: what somebody agreed to, written down, and how a plan of now differs from it.
//!
//! Holds everything that the plan showed and where it was made, and nothing secret. It is never run: the
//! plan is made anew, and runs only when it equals the saved one in every respect.
//!
//! Invariant: plan-is-what-runs.

use std::collections::BTreeMap;

use super::{
    code::Code,
    observed::Value,
    plan::{Action, Change, FieldChange, Kind, Plan},
    secret::Secret,
    stores::stores,
    topology::Topology,
};

/// What a plan was made for. Addresses are without login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The topology's name.
    pub topology: String,
    /// Its generation.
    pub generation: u32,
    /// Scheme, host and port of the broker.
    pub broker: String,
    /// The vhost's name.
    pub vhost: String,
    /// Address of the management API; `None`: the usual one of the broker.
    pub management: Option<String>,
    /// The stores, as plans name them.
    pub stores: Vec<String>,
}

/// One line of a saved plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChange {
    /// What is done.
    pub action: Action,
    /// To which kind of object.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The differing fields.
    pub fields: Vec<FieldChange>,
    /// Why it is dangerous or can't be done.
    pub hazard: Option<Code>,
    /// How it is done, as a sentence.
    pub step: Option<String>,
}

/// A plan as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedPlan {
    /// What it was made for.
    pub place: Place,
    /// Whether orphans were to be deleted.
    pub prune: bool,
    /// Its lines, in execution order.
    pub changes: Vec<SavedChange>,
    /// Steps that every apply runs, as sentences.
    pub ensure: Vec<String>,
    /// Objects that were as they should be.
    pub keep: u64,
    /// What could not be checked, as sentences.
    pub unchecked: Vec<String>,
}

impl Place {
    /// What a plan of `topology` is made for.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let (broker, vhost) = address(&topology.broker.url);
        Self {
            topology: topology.name.as_str().to_owned(),
            generation: topology.shards.generation,
            broker,
            vhost: vhost.map_or_else(|| "/".to_owned(), |vhost| percent_decoded(&vhost)),
            management: topology.broker.management_url.as_ref().map(|url| address(url).0),
            stores: stores(topology).iter().map(super::stores::StoreUse::label).collect(),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("topology {}", self.topology),
            format!("generation {}", self.generation),
            format!("broker {}", self.broker),
            format!("vhost {}", self.vhost),
        ];
        lines.extend(self.management.iter().map(|address| format!("management API {address}")));
        lines.extend(self.stores.iter().map(|store| format!("store {store}")));
        lines
    }
}

impl SavedPlan {
    /// What is to be written down of `plan`.
    #[must_use]
    pub fn of(topology: &Topology, plan: &Plan, prune: bool) -> Self {
        let change = |change: &Change| SavedChange {
            action: change.action,
            kind: change.kind,
            name: change.name.clone(),
            // An orphan that is left alone may fill and drain meanwhile.
            fields: if change.is_left_orphan() { Vec::new() } else { change.fields.clone() },
            hazard: change.hazard,
            step: change.step.as_ref().map(ToString::to_string),
        };
        Self {
            place: Place::of(topology),
            prune,
            changes: plan.changes.iter().map(change).collect(),
            ensure: plan.ensure.iter().map(ToString::to_string).collect(),
            keep: plan.keep,
            unchecked: plan.unchecked.clone(),
        }
    }

    /// What differs in `now`, as sentences: `- ` what is no longer so, `+ ` what is new. Empty only when
    /// both are equal in every respect.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = differing(&self.place.lines(), &now.place.lines());
        let lines = |plan: &Self| plan.changes.iter().map(SavedChange::line).collect::<Vec<_>>();
        found.extend(differing(&lines(self), &lines(now)));
        found.extend(differing(&self.ensure, &now.ensure));
        found.extend(differing(&self.unchecked, &now.unchecked));
        if self.prune != now.prune {
            let word = |prune: bool| if prune { "with --prune" } else { "without --prune" };
            found.push(format!("saved {}, made {}", word(self.prune), word(now.prune)));
        }
        if found.is_empty() && self.keep != now.keep {
            found.push(format!("{} objects were as they should be, now {} are", self.keep, now.keep));
        }
        if found.is_empty() && self != now {
            found.push("the order of the changes differs".to_owned());
        }
        found
    }
}

impl SavedChange {
    /// Everything about it in one line.
    fn line(&self) -> String {
        let value = |value: &Option<Value>| match value {
            None => "absent".to_owned(),
            Some(Value::Integer(number)) => number.to_string(),
            Some(Value::Text(text)) => format!("{text:?}"),
            Some(Value::Bool(flag)) => flag.to_string(),
            Some(Value::Other(text)) => text.clone(),
        };
        let field = |change: &FieldChange| match change.from {
            None if self.action == Action::Create => format!("{} {}", change.field, value(&change.to)),
            _ => format!("{} from {} to {}", change.field, value(&change.from), value(&change.to)),
        };
        let mut line = format!("{} {} {}", self.action.as_str(), self.kind.as_str(), self.name);
        if !self.fields.is_empty() {
            let fields: Vec<String> = self.fields.iter().map(field).collect();
            line = format!("{line}: {}", fields.join(", "));
        }
        line += &self.hazard.map(|code| format!(" ({code})")).unwrap_or_default();
        line + &self.step.as_ref().map(|step| format!(" [{step}]")).unwrap_or_default()
    }
}

/// Lines of one side only; each as often as it is missing on the other.
fn differing(saved: &[String], now: &[String]) -> Vec<String> {
    let mut count: BTreeMap<&str, i64> = BTreeMap::new();
    for line in saved {
        *count.entry(line).or_default() -= 1;
    }
    for line in now {
        *count.entry(line).or_default() += 1;
    }
    let mut only = |lines: &[String], sign: i64, mark: char| {
        let mut found = Vec::new();
        for line in lines {
            if let Some(left) = count.get_mut(line.as_str()).filter(|left| **left * sign > 0) {
                *left -= sign;
                found.push(format!("{mark} {line}"));
            }
        }
        found
    };
    let mut found = only(saved, -1, '-');
    found.extend(only(now, 1, '+'));
    found
}

/// `scheme://host:port` of a URL and its path without the slash, login and parameters left out.
fn address(url: &Secret) -> (String, Option<String>) {
    let url = url.expose();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // A password with an unescaped delimiter reaches up to the last '@' (such a URL is refused elsewhere).
    let login = if authority.contains('@') { authority.rfind('@') } else { rest.rfind('@') };
    let rest = login.and_then(|at| rest.get(at + 1..)).unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) => (host, Some(path.to_owned())),
        None => (rest, None),
    };
    (format!("{}://{}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()), path)
}

/// Text with `%2F` and its like read; what is not UTF-8 then stays as it was.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}
