//! Why something can't be expressed: which object, what about it, what was found, what would be needed.

use std::fmt;

use crate::domain::{fit::Fit, observed::Value, plan::FieldChange};

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Kind and name of the object, or how many there are of it.
    pub object: String,
    /// The field or argument.
    pub field: String,
    /// What was found.
    pub found: String,
    /// What a topology of topo has there.
    pub needed: String,
}

impl Obstacle {
    /// A reason.
    #[must_use]
    pub fn new(
        object: impl Into<String>,
        field: impl Into<String>,
        found: impl Into<String>,
        needed: impl Into<String>,
    ) -> Self {
        Self { object: object.into(), field: field.into(), found: found.into(), needed: needed.into() }
    }

    /// A field that differs from what topo asks for.
    #[must_use]
    pub fn of_change(object: &str, change: &FieldChange) -> Self {
        Self::new(object, &change.field, shown(change.from.as_ref()), shown(change.to.as_ref()))
    }

    /// What the comparison of one object says.
    pub(super) fn of_fit(object: &str, fit: Fit) -> Vec<Self> {
        match fit {
            Fit::Same => Vec::new(),
            Fit::Unknown(why) => vec![Self::new(object, "properties", why, "all of them, to compare")],
            Fit::Differs(fields) => fields.iter().map(|field| Self::of_change(object, field)).collect(),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, field, found, needed } = self;
        write!(f, "{object}: {field}: found {found}, needed {needed}")
    }
}

/// The text `"1000"` is not the number 1000.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => "none".to_owned(),
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Text(text)) => format!("{text:?}"),
        Some(Value::Other(text)) => text.clone(),
    }
}

/// One line for what is equal on many queues, in the order of the first of them.
pub(super) fn merge(obstacles: Vec<Obstacle>) -> Vec<Obstacle> {
    let mut merged: Vec<(Obstacle, usize)> = Vec::new();
    for obstacle in obstacles {
        let queue = obstacle.object.starts_with("queue ");
        let same = |(known, _): &&mut (Obstacle, usize)| {
            let Obstacle { object, field, found, needed } = known;
            let alike = (&**field, &**found, &**needed)
                == (obstacle.field.as_str(), obstacle.found.as_str(), obstacle.needed.as_str());
            alike && (*object == obstacle.object || (queue && object.starts_with("queue ")))
        };
        match merged.iter_mut().find(same) {
            Some((known, _)) if known.object == obstacle.object => {}
            Some((_, count)) => *count += 1,
            None => merged.push((obstacle, 1)),
        }
    }
    let told = |(mut obstacle, count): (Obstacle, usize)| {
        if count > 1 {
            let first = obstacle.object.trim_start_matches("queue ");
            obstacle.object = format!("{count} queues ({first} first)");
        }
        obstacle
    };
    merged.into_iter().map(told).collect()
}
