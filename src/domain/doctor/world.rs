//! What the plan already knows: differences between file and world, and what endangers it.

use std::collections::BTreeMap;

use super::{Check, Status, listed};
use crate::domain::{
    code::Code,
    plan::{Action, Plan},
};

const NAME: &str = "topology";

/// One check per hazard, one for what is merely pending, one for each blank.
#[must_use]
pub fn checks(plan: &Plan) -> Vec<Check> {
    let mut hazards: BTreeMap<Code, Vec<&str>> = BTreeMap::new();
    let mut pending = Vec::new();
    for change in &plan.changes {
        match change.hazard {
            Some(code) => hazards.entry(code).or_default().push(&change.name),
            None if change.action == Action::Foreign => {}
            None => pending.push(change.name.as_str()),
        }
    }
    let mut checks = Vec::new();
    for (code, names) in hazards {
        let text = format!("{}: {}", code.title(), listed(names));
        checks.push(match code {
            // Every topology names its types (T34), so nothing has to be done.
            Code::DefaultQueueType => Check::ok(NAME, text),
            _ => Check::problem(NAME, code, text),
        });
    }
    if !pending.is_empty() {
        let text = format!("{} objects are not as the file says: {}", pending.len(), listed(pending));
        checks.push(Check::problem(NAME, Code::PlanPending, text));
    }
    if checks.iter().all(|check| check.status == Status::Ok) {
        checks.push(Check::ok(NAME, format!("{} objects are as the file says", plan.keep)));
    }
    checks.extend(plan.unchecked.iter().map(|sentence| Check::unchecked(NAME, sentence)));
    checks
}
