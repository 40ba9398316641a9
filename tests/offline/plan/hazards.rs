//! Policies of others: which apply, and what they would do.

use topo::domain::{
    diff::diff,
    observed::Value,
    plan::{Action, Plan},
    policy::{ApplyTo, Author, Policy, own_policy_name},
    topology::QueueKind,
};

use super::diff::{lines, orders, whole};

fn policy(name: &str, key: &str, value: impl Into<Json>) -> Policy {
    Policy {
        name: name.to_owned(),
        author: Author::User,
        pattern: String::new(),
        apply_to: ApplyTo::All,
        priority: 0,
        definition: [(key.to_owned(), value.into().0)].into(),
    }
}

struct Json(Value);

impl From<i64> for Json {
    fn from(number: i64) -> Self {
        Self(Value::Integer(number))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self(Value::Text(text.to_owned()))
    }
}

fn with(kind: QueueKind, policies: Vec<Policy>) -> Plan {
    let mut topology = orders(kind);
    topology.queues.max_length = Some(100);
    let mut world = whole(&topology);
    world.policies = Some(policies);
    diff(&topology, &world, &[])
}

/// `fields [code]` of the one change, or nothing.
fn effect(kind: QueueKind, policy: Policy) -> String {
    let plan = with(kind, vec![policy]);
    assert!(!plan.has_work() && plan.unchecked.is_empty(), "{plan:?}");
    match lines(&plan).as_slice() {
        [] => String::new(),
        [line] => line.strip_prefix("foreign policy policy p on ").unwrap().to_owned(),
        more => panic!("{more:?}"),
    }
}

#[test]
fn one_policy_is_one_difference_with_its_keys_and_the_number_of_its_queues() {
    let cases: &[(&str, Json, &str)] = &[
        (
            "alternate-exchange",
            "lost".into(),
            "exchange orders: alternate-exchange Text(\"lost\") -> none [TOPO0211]",
        ),
        (
            "message-ttl",
            9.into(),
            "3 queues (orders.ledger.dead first): message-ttl Integer(9) -> none [TOPO0213]",
        ),
        // Of arguments and policies the lower number applies.
        (
            "max-length",
            99.into(),
            "3 queues (orders.ledger.dead first): max-length Integer(99) -> Integer(100) [TOPO0215]",
        ),
        ("max-length", 100.into(), "queue orders.ledger.dead: max-length Integer(100) -> none [TOPO0215]"),
        ("dead-letter-strategy", "at-most-once".into(), ""),
        ("overflow", "reject-publish".into(), ""),
        ("queue-leader-locator", "balanced".into(), ""),
    ];
    for (key, value, expected) in cases {
        assert_eq!(&effect(QueueKind::Quorum, policy("p", key, Json(value.0.clone()))), expected, "{key}");
    }
}

#[test]
fn a_length_limit_that_drops_is_worse_than_one_that_refuses() {
    let mut both = policy("p", "max-length", 10);
    both.definition.insert("overflow".to_owned(), Value::Text("drop-head".to_owned()));
    let shown = effect(QueueKind::Quorum, both.clone());
    assert!(shown.ends_with("[TOPO0212]") && shown.contains("max-length") && shown.contains("overflow"));
    // The overflow of one author's policy decides about the limit of the other's.
    let mut operator = policy("limit", "max-length", 10);
    operator.author = Author::Operator;
    let plan = with(QueueKind::Quorum, vec![operator, policy("head", "overflow", "drop-head")]);
    let codes: Vec<_> = plan.changes.iter().map(|change| change.hazard.unwrap().number()).collect();
    assert_eq!(codes, [212, 212], "{:?}", lines(&plan));
}

#[test]
fn only_what_applies_counts() {
    let ttl = || policy("p", "message-ttl", 1);
    type Case = (&'static str, fn(&mut Policy), &'static str);
    let cases: [Case; 9] = [
        ("nothing of ours", |p| p.pattern = "^invoices".to_owned(), ""),
        ("not anchored", |p| p.pattern = "ledger.g1".to_owned(), "2 queues (orders.ledger.g1.0 first)"),
        (
            "look-around",
            |p| p.pattern = "^orders(?!.*dead$)".to_owned(),
            "2 queues (orders.ledger.g1.0 first)",
        ),
        ("one", |p| p.pattern = r"\.[1]$".to_owned(), "queue orders.ledger.g1.1"),
        ("exchanges", |p| p.apply_to = ApplyTo::Exchanges, ""),
        ("queues", |p| p.apply_to = ApplyTo::Queues, "3 queues (orders.ledger.dead first)"),
        ("streams", |p| p.apply_to = ApplyTo::Streams, ""),
        ("classic", |p| p.apply_to = ApplyTo::ClassicQueues, ""),
        ("quorum", |p| p.apply_to = ApplyTo::QuorumQueues, "3 queues (orders.ledger.dead first)"),
    ];
    for (what, change, expected) in cases {
        let mut policy = ttl();
        change(&mut policy);
        let found = effect(QueueKind::Quorum, policy);
        assert_eq!(found.split(": ").next().unwrap(), expected, "{what}");
    }
}

#[test]
fn the_highest_priority_hides_the_others_of_its_author() {
    let at = |priority, mut policy: Policy| {
        policy.priority = priority;
        policy
    };
    let harmless = || at(5, policy("harmless", "max-length", 1000));
    let names = |policies| -> Vec<String> {
        let plan = with(QueueKind::Quorum, policies);
        plan.changes.iter().map(|c| c.name.split(" on ").next().unwrap().to_owned()).collect()
    };
    let ttl = || policy("ttl", "message-ttl", 1);
    assert_eq!(names(vec![at(1, ttl()), harmless()]), ["policy harmless"], "a limit for the dead letters");
    assert_eq!(names(vec![at(9, ttl()), harmless()]), ["policy ttl"]);
    // A policy with a key that the type does not know hides nothing.
    let mut classic = policy("classic", "queue-mode", "lazy");
    classic.priority = 9;
    assert_eq!(names(vec![at(1, ttl()), classic]), ["policy ttl"]);
    let mut operator = ttl();
    operator.author = Author::Operator;
    assert_eq!(
        names(vec![operator, at(9, policy("more", "max-length", 10))]),
        ["policy more", "operator policy ttl"]
    );
}

#[test]
fn what_cannot_be_decided_is_taken_as_applying_and_said() {
    let mut odd = policy("odd", "message-ttl", 1);
    odd.pattern = r"\h".to_owned();
    let plan = with(QueueKind::Quorum, vec![odd.clone(), policy("ttl", "expires", 1)]);
    assert_eq!(plan.changes.len(), 2, "the next may apply as well: {:?}", lines(&plan));
    assert_eq!(
        plan.unchecked,
        [r#"policy odd: the pattern "\\h" can't be judged here; it is taken as matching"#]
    );
    let plan = with(QueueKind::Quorum, vec![policy("a", "expires", 1), policy("b", "message-ttl", 1)]);
    assert_eq!(plan.changes.len(), 2);
    assert_eq!(
        plan.unchecked,
        ["a", "b"]
            .map(|p| format!("policy {p} shares its priority with another that matches; either may apply"))
    );
    // Harmless ones are nobody's business.
    odd.definition = policy("p", "queue-version", 2).definition;
    let plan = with(QueueKind::Quorum, vec![odd]);
    assert!(plan.changes.is_empty() && plan.unchecked.is_empty());
}

#[test]
fn our_own_policy_is_not_foreign() {
    let topology = orders(QueueKind::Quorum);
    let mut own = policy("", "message-ttl", 7);
    own.name = own_policy_name(&topology);
    let plan = with(QueueKind::Quorum, vec![own.clone()]);
    assert_eq!((plan.count(Action::Foreign), plan.count(Action::Delete)), (0, 1), "{plan:?}");
    own.author = Author::Operator;
    let plan = with(QueueKind::Quorum, vec![own]);
    assert_eq!((plan.count(Action::Foreign), plan.changes.len()), (1, 1), "an operator's of the same name");
}

#[test]
fn patterns_are_read_as_the_broker_reads_them() {
    use topo::domain::pattern::Pattern;
    let cases: &[(&str, &str, Option<bool>)] = &[
        ("", "x", Some(true)),
        ("rde", "orders", Some(true)),
        ("^rde", "orders", Some(false)),
        ("^or.ers$", "orders", Some(true)),
        ("(?i)ORDERS", "orders", Some(true)),
        ("^(?!amq\\.).*", "amq.topic", Some(false)),
        ("(?<=led)ger", "ledger", Some(true)),
        ("(a)\\1", "aa", Some(true)),
        ("^.{2}$", "é", Some(true)), // two bytes
        ("^é$", "é", Some(true)),
        ("^[^a]+$", "日", Some(true)),
        ("[]a]", "]", Some(true)),
        ("[[:digit:]]$", "shard7", Some(true)),
        ("[a&&b]", "a", None),
        ("[a[b]", "a", None),
        ("\\h", "a", None),
        ("\\X", "a", None),
        ("*", "a", None),
    ];
    for (pattern, name, expected) in cases {
        assert_eq!(Pattern::new(pattern).matches(name), *expected, "{pattern} on {name}");
    }
}
