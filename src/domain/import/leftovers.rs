//! What a plan with an imported file would still say: the proof that it says nothing, or the reasons.

use super::Obstacle;
use crate::domain::plan::{Action, Change, Kind, Plan};

/// Every difference of the plan that counts, as a reason.
#[must_use]
pub fn leftovers(plan: &Plan) -> Vec<Obstacle> {
    let changes = plan.changes.iter().filter(|change| !change.is_informational());
    super::obstacle::merge(changes.flat_map(reasons).collect())
}

fn reasons(change: &Change) -> Vec<Obstacle> {
    // The name of a policy says what it is: whose, and on what.
    let object = match change.kind {
        Kind::Policy if change.action == Action::Foreign => change.name.clone(),
        kind => format!("{} {}", kind.as_str(), change.name),
    };
    let title = change.hazard.map(|code| format!("{code}, {}", code.title()));
    if change.action == Action::Foreign {
        let found = match change.fields.as_slice() {
            [] => "there".to_owned(),
            fields => fields.iter().map(|field| field.field.as_str()).collect::<Vec<_>>().join(", "),
        };
        let needed = title.map_or_else(|| "none".to_owned(), |title| format!("none ({title})"));
        return vec![Obstacle::new(object, "of others", found, needed)];
    }
    if change.fields.is_empty() {
        return vec![Obstacle::new(object, change.action.as_str(), "none", "it")];
    }
    change.fields.iter().map(|field| Obstacle::of_change(&object, field)).collect()
}
