//! The publisher's window: gate, acceptance rule, giving up, bounded memory.

use std::{sync::Arc, time::Duration};

use topo::domain::{
    envelope::Envelope,
    key::OrderingKey,
    route::{Routed, ShardMap},
    topology::{Publish, QueueKind},
    window::{Answer, Settled, Window},
};

use crate::support;

fn message(key: &str, seq: u64) -> Arc<Routed> {
    let topology = support::topology("amqp://memory", 4, QueueKind::Quorum);
    Arc::new(ShardMap::new(&topology).routed(Envelope {
        message_id: format!("{key}-{seq}"),
        key: OrderingKey::new(key).unwrap(),
        event_type: None,
        correlation_id: None,
        sequence: None,
        occurred_at_ms: None,
        trace_id: None,
        body: support::line(key, seq),
    }))
}

fn window(keys: &[&str]) -> Window {
    let mut window = Window::new(support::publish());
    for (position, key) in keys.iter().enumerate() {
        let position = u64::try_from(position).unwrap();
        assert!(window.admit(position, message(key, position)));
    }
    window
}

fn ids(window: &mut Window, now: Duration) -> Vec<(u64, String)> {
    let mut sent = Vec::new();
    while let Some((ticket, message, _)) = window.send_next(now) {
        sent.push((ticket, message.envelope().message_id.clone()));
    }
    sent
}

const START: Duration = Duration::from_secs(100);

#[test]
fn a_key_has_one_message_in_flight_and_other_keys_fly_on() {
    let mut window = window(&["a", "a", "b", "a", "b"]);
    assert_eq!(ids(&mut window, START), [(0, "a-0".to_owned()), (1, "b-2".to_owned())]);
    assert!(matches!(window.verdict(0, Answer::Confirmed, START), Settled::Confirmed(0, _)));
    assert_eq!(ids(&mut window, START), [(2, "a-1".to_owned())]);
}

#[test]
fn a_refused_message_holds_its_followers_until_it_is_confirmed() {
    let mut window = window(&["a", "a"]);
    ids(&mut window, START);
    assert!(matches!(window.verdict(0, Answer::Refused, START), Settled::Again(_)));
    assert_eq!(ids(&mut window, START), [], "it pauses, and its follower waits behind it");
    let later = window.next_due().unwrap();
    assert!(later > START);
    assert_eq!(ids(&mut window, later), [(1, "a-0".to_owned())]);
    assert_eq!(window.verdict(0, Answer::Confirmed, later), Settled::Stale, "the first send has its verdict");
}

#[test]
fn a_confirm_that_is_read_late_is_not_believed() {
    let mut window = window(&["a", "a"]);
    ids(&mut window, START);
    let late = START + support::publish().confirm_timeout + Duration::from_millis(1);
    assert!(window.is_overdue(late));
    assert_eq!(window.verdict(0, Answer::Confirmed, late), Settled::Late);
    assert_eq!(window.in_flight(), 1, "it stays in doubt until the connection is given up");
}

#[test]
fn after_a_lost_connection_everything_in_doubt_is_sent_again_in_input_order() {
    let mut window = window(&["a", "b", "c", "a"]);
    ids(&mut window, START);
    window.verdict(1, Answer::Confirmed, START);
    assert_eq!(window.lost(START), []);
    assert_eq!(ids(&mut window, START), [(3, "a-0".to_owned()), (4, "c-2".to_owned())]);
}

#[test]
fn a_message_that_gives_up_takes_its_followers_and_closes_its_key() {
    let mut window = window(&["a", "b", "a", "a"]);
    ids(&mut window, START);
    window.verdict(0, Answer::Refused, START);
    let end = START + support::publish().give_up_after;
    let (ticket, _) = ids(&mut window, end)[0];
    let Settled::GaveUp(gave_up) = window.verdict(ticket, Answer::Refused, end) else {
        panic!("its time is over")
    };
    assert_eq!((gave_up.position, gave_up.skipped), (0, vec![2, 3]));
    assert!(!window.admit(4, message("a", 4)), "later lines of the key are not sent");
    assert_eq!(window.failed_keys(), ["a"]);
    assert!(matches!(window.verdict(1, Answer::Confirmed, START), Settled::Confirmed(1, _)), "others go on");
}

#[test]
fn memory_is_bounded_by_the_limits() {
    let settings = Publish { in_flight: 2, ..support::publish() };
    let mut window = Window::new(settings);
    let mut position = 0;
    while window.has_room() {
        assert!(window.admit(position, message("hot", position)));
        position += 1;
        assert!(position <= 8, "four lines are held per message in flight");
    }
    let settings = Publish { in_flight_bytes: 1000, ..support::publish() };
    let mut window = Window::new(settings);
    for position in 0..4 {
        assert!(window.admit(position, message(&format!("k{position}"), 1)));
    }
    assert!(!window.has_room(), "bytes are bounded too");
    assert_eq!(ids(&mut window, START).len(), 3);
}
