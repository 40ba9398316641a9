//! What `doctor` judges, and the answers it judges by.

mod answers;
mod broker;
mod cluster;
mod rights;
mod store;
mod versions;
mod view;

use topo::domain::doctor::{
    Check, Status,
    facts::{BrokerFacts, Permissions, User},
};

/// A broker that is well and shows everything.
fn well() -> BrokerFacts {
    let everything = || ".*".to_owned();
    BrokerFacts {
        version: Some("RabbitMQ 4.3.6".to_owned()),
        clock_seconds: Some(1_000),
        nodes: Ok(Vec::new()),
        alarms: Ok(Vec::new()),
        disabled_flags: Ok(Vec::new()),
        queues: [].into(),
        queue_count: 0,
        max_queues: Ok(None),
        user: User { name: "app".to_owned(), tags: vec!["management".to_owned()] },
        permissions: Ok(Permissions { configure: everything(), write: everything(), read: everything() }),
    }
}

/// Names and codes of what is not well.
fn findings(checks: &[Check]) -> Vec<(&str, Status, u16)> {
    let bad = checks.iter().filter(|check| check.status != Status::Ok);
    bad.map(|check| (check.name, check.status, check.code.map_or(0, |code| code.number()))).collect()
}
