//! What the user may do at the broker, held against what each role needs.
//!
//! A user needs no more than its own role; so a role that it can't take is a problem only when somebody
//! asked for that role.

use super::{
    Check,
    facts::{BrokerFacts, Permissions},
    listed,
};
use crate::domain::{
    code::Code,
    desired::Desired,
    pattern::Pattern,
    permissions::{DEFAULT_EXCHANGE, Role},
    topology::Topology,
};

const NAME: &str = "broker.permissions";

/// The roles that the user can take; `asked`: those that it must be able to take.
#[must_use]
pub fn checks(topology: &Topology, facts: &BrokerFacts, asked: &[Role]) -> Vec<Check> {
    let user = &facts.user.name;
    let permissions = match &facts.permissions {
        Ok(permissions) => permissions,
        Err(why) => return vec![Check::unchecked(NAME, why)],
    };
    let mut able = Vec::new();
    let mut checks = Vec::new();
    for role in Role::ALL {
        match lacking(topology, facts, permissions, role) {
            None => {
                checks.push(Check::unchecked(NAME, format!("{role}: a pattern of {user} can't be judged")))
            }
            Some(lacks) if lacks.is_empty() => able.push(role.as_str()),
            Some(lacks) if asked.contains(&role) => {
                let text =
                    format!("{user} can't be {role}, it lacks {}", listed(lacks.iter().map(String::as_str)));
                checks.push(Check::problem(NAME, Code::PermissionMissing, text));
            }
            Some(_) => {}
        }
    }
    let able = if able.is_empty() { "nothing here".to_owned() } else { able.join(", ") };
    if checks.is_empty() {
        checks.push(Check::ok(NAME, format!("{user} can be {able}")));
    }
    checks
}

/// What the user lacks for `role`; `None`: it can't be told.
fn lacking(
    topology: &Topology,
    facts: &BrokerFacts,
    permissions: &Permissions,
    role: Role,
) -> Option<Vec<String>> {
    let desired = Desired::of(topology);
    let exchange = desired.exchange.name.as_str();
    let shards = || desired.queues.iter().map(|queue| queue.name.as_str());
    let dead = || desired.dead_letters.iter().map(|queue| queue.name.as_str());
    let (configure, write, read): (Vec<&str>, Vec<&str>, Vec<&str>) = match role {
        Role::Declarator => (
            shards().chain(dead()).chain([exchange]).collect(),
            shards().chain([exchange, DEFAULT_EXCHANGE]).collect(),
            shards().chain([exchange]).collect(),
        ),
        Role::Producer => (Vec::new(), vec![exchange], Vec::new()),
        Role::Consumer => (Vec::new(), Vec::new(), shards().collect()),
        Role::Observer => (Vec::new(), Vec::new(), Vec::new()),
    };
    let sets = [
        ("configure", &permissions.configure, configure),
        ("write", &permissions.write, write),
        ("read", &permissions.read, read),
    ];
    let mut lacks = Vec::new();
    for (kind, pattern, names) in sets {
        // The broker reads an empty one as this.
        let compiled = Pattern::new(if pattern.is_empty() { "^$" } else { pattern });
        for name in names {
            if !compiled.matches(name)? {
                lacks.push(format!("{kind} on {name}"));
            }
        }
    }
    if role == Role::Observer && facts.user.tags.is_empty() {
        lacks.push("the management tag".to_owned());
    }
    Some(lacks)
}
