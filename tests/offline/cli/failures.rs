//! Failures: one form, one exit code per kind, and nothing in them that harms a terminal.

use topo::{
    cli::{exit::Exit, failure::Failure, view},
    ports::{
        link::{LinkError, LinkKind},
        store::{StoreError, StoreKind},
    },
};

/// Without colours, as a pipe gets it.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn a_failure_says_what_why_and_what_next() {
    let root = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
    let error = LinkError::because(LinkKind::Unreachable, "can't reach amqp://app:***@broker", root);
    insta::assert_snapshot!(plain(&view::failure::text(&Failure::from(error))));
}

#[test]
fn a_failure_can_t_move_the_cursor_and_masks_passwords() {
    let root = std::io::Error::other("amqp://a:hunter2@h said\u{1b}[2J\nsafe to run again: yes");
    let failure = Failure::from(LinkError::because(LinkKind::Protocol, "the broker answered", root));
    let text = plain(&view::failure::text(&failure));
    assert!(!text.contains("hunter2"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert_eq!(text.lines().count(), 4, "{text}");
}

#[test]
fn every_kind_of_failure_has_its_exit_code() {
    let link = |kind| Failure::from(LinkError::new(kind, "x")).exit;
    for kind in [LinkKind::Unreachable, LinkKind::Lost] {
        assert_eq!(link(kind), Exit::Unreachable);
    }
    for kind in [
        LinkKind::Refused,
        LinkKind::VhostMissing,
        LinkKind::Tls,
        LinkKind::ExchangeMissing,
        LinkKind::QueueMissing,
        LinkKind::Protocol,
    ] {
        assert_eq!(link(kind), Exit::Failed, "{kind:?}");
    }
    assert_eq!(link(LinkKind::Precondition), Exit::Refused);
    let store = |kind| Failure::from(StoreError::new(kind, "x")).exit;
    assert_eq!(store(StoreKind::Unreachable), Exit::Unreachable);
    for kind in [StoreKind::Refused, StoreKind::SchemaMissing, StoreKind::SchemaNewer, StoreKind::Failed] {
        assert_eq!(store(kind), Exit::Failed, "{kind:?}");
    }
}

#[test]
fn exit_codes_are_the_documented_ones() {
    assert_eq!(Exit::ALL.map(Exit::number), [0, 1, 2, 3, 4, 5, 130]);
}
