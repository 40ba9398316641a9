//! What a user may do, held against what each role needs.

use topo::domain::{
    doctor::{
        Status::{Ok as Well, Problem, Unchecked},
        facts::{BrokerFacts, Permissions, User},
        rights,
    },
    permissions::{Access, Role},
    topology::QueueKind,
};

use super::well;
use crate::support::topology;

fn facts(permissions: Permissions, tags: &[&str]) -> BrokerFacts {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    BrokerFacts { permissions: Ok(permissions), user: User { name: "app".to_owned(), tags }, ..well() }
}

#[test]
fn what_permissions_prints_is_enough_for_the_role_and_for_no_other() {
    let topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    for role in Role::ALL {
        let access = Access::of(&topology, &[role]);
        let permissions = Permissions {
            configure: access.configure.regex(),
            write: access.write.regex(),
            read: access.read.regex(),
        };
        let tags: Vec<_> = access.tags.iter().copied().collect();
        let facts = facts(permissions, &tags);
        for asked in Role::ALL {
            let status = rights::checks(&topology, &facts, &[asked])[0].status;
            // With a tag one can look; a declarator can do everything.
            let able =
                asked == role || role == Role::Declarator || asked == Role::Observer && !tags.is_empty();
            assert_eq!(status, if able { Well } else { Problem }, "{role} as {asked}");
        }
    }
}

#[test]
fn a_role_that_nobody_asked_for_is_no_problem() {
    let topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    let nothing = facts(Permissions::default(), &[]);
    let checks = rights::checks(&topology, &nothing, &[]);
    assert_eq!((checks.len(), checks[0].status), (1, Well));
    assert!(checks[0].text.contains("app can be nothing here"), "{}", checks[0].text);
}

#[test]
fn what_is_missing_is_listed() {
    let topology = topology("amqp://localhost", 5, QueueKind::Quorum);
    let some = Permissions { read: r"ledger\.g1\.[13]$".to_owned(), ..Permissions::default() };
    let checks = rights::checks(&topology, &facts(some, &[]), &[Role::Consumer]);
    assert_eq!(checks[0].status, Problem);
    let text = &checks[0].text;
    assert!(
        text.contains("read on orders.ledger.g1.0, read on orders.ledger.g1.2, read on orders.ledger.g1.4"),
        "{text}"
    );
}

#[test]
fn a_pattern_of_another_dialect_is_not_guessed() {
    let topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    let odd = Permissions { write: r"[[:alpha:]&&x]".to_owned(), ..Permissions::default() };
    let checks = rights::checks(&topology, &facts(odd, &[]), &[Role::Producer]);
    assert!(checks.iter().any(|check| check.status == Unchecked), "{checks:?}");
}
