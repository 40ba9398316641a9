//! Limits that were changed after the queues were declared: what our policy carries, and what it can't.

use topo::domain::{
    diff::diff,
    observed::{Observed, Value},
    pattern::{Pattern, shard_queues},
    plan::{Plan, Step},
    policy::{ApplyTo, Author, Policy},
    template::Template,
    topology::{QueueKind, Topology},
};

use super::{
    diff::{lines, orders, whole},
    world::{carry_out, through_amqp},
};
use crate::support::{consumer, name};

/// Applies the file with the first limit, then again with each that follows; gives the last plan and the
/// world before it.
fn with_limits(limits: &[Option<u64>], others: &[Policy]) -> (Plan, Observed) {
    let mut topology = orders(QueueKind::Quorum);
    topology.queues.max_length = limits[0];
    let mut world = whole(&topology);
    world.policies.as_mut().unwrap().extend(others.iter().cloned());
    let mut plan = diff(&topology, &world, &[]);
    for limit in &limits[1..] {
        for step in plan.steps() {
            carry_out(&mut world, step);
        }
        topology.queues.max_length = *limit;
        plan = diff(&topology, &world, &[]);
    }
    (plan, world)
}

fn other(pattern: &str, priority: i64) -> Policy {
    Policy {
        name: "theirs".to_owned(),
        author: Author::User,
        pattern: pattern.to_owned(),
        apply_to: ApplyTo::All,
        priority,
        definition: [("queue-version".to_owned(), Value::Integer(2))].into(),
    }
}

const REPLACE: [&str; 2] = ["replace queue orders.ledger.g1.0: ", "replace queue orders.ledger.g1.1: "];

#[test]
fn a_limit_that_became_lower_is_carried_by_a_policy_and_one_that_became_higher_is_not() {
    let policy = |action: &str, fields: &str| vec![format!("{action} policy topo.orders: {fields}")];
    let replace = |fields: &str| REPLACE.map(|queue| format!("{queue}{fields} [TOPO0202]")).to_vec();
    let n = Some;
    let cases: [(&[Option<u64>], Vec<String>); 12] = [
        (&[n(10), n(10)], vec![]),
        (&[n(10), n(7)], policy("update", "max-length Integer(10) -> Integer(7)")),
        (&[None, n(7)], policy("update", "max-length none -> Integer(7)")),
        (&[n(10), n(7), n(7)], vec![]),
        (&[n(10), n(7), n(5)], policy("update", "max-length Integer(7) -> Integer(5)")),
        (&[n(10), n(7), n(9)], policy("update", "max-length Integer(7) -> Integer(9)")),
        (&[None, n(7), n(900)], policy("update", "max-length Integer(7) -> Integer(900)")),
        (&[n(10), n(7), n(10)], policy("delete", "max-length Integer(7) -> none")),
        (&[None, n(7), None], policy("delete", "max-length Integer(7) -> none")),
        (&[n(10), n(7), n(10), n(10)], vec![]),
        (&[n(10), n(11)], replace("x-max-length Integer(10) -> Integer(11)")),
        (&[n(10), None], replace("x-max-length Integer(10) -> none")),
    ];
    for (limits, expected) in cases {
        assert_eq!(lines(&with_limits(limits, &[]).0), expected, "{limits:?}");
    }
}

#[test]
fn the_policy_matches_the_shard_queues_of_the_generation_and_nothing_else() {
    let (plan, _) = with_limits(&[Some(10), Some(7)], &[]);
    let [Step::Policy { policy }] = plan.steps().collect::<Vec<_>>()[..] else { panic!("{plan:?}") };
    let expected = Policy {
        name: "topo.orders".to_owned(),
        author: Author::User,
        pattern: "^orders\\.ledger\\.g1\\.[0-1]$".to_owned(),
        apply_to: ApplyTo::Queues,
        priority: 0,
        definition: [("max-length".to_owned(), Value::Integer(7))].into(),
    };
    assert_eq!(*policy, expected);

    for count in
        (1..=1024).filter(|count| *count < 30 || [99, 100, 101, 110, 256, 1000, 1024].contains(count))
    {
        let mut topology = orders(QueueKind::Quorum);
        topology.shards.count = count;
        topology.consumers.insert(name("a.b+c"), consumer("a.b+c"));
        for template in
            ["{topology}.{consumer}.g{generation}.{shard}", "{shard}({shard}of{count}).{consumer}"]
        {
            topology.queues.name = Template::parse(template).unwrap();
            let pattern = Pattern::new(&shard_queues(&topology));
            let matched = |name: &str| pattern.matches(name).expect("it can be judged");
            for consumer in topology.consumers.keys() {
                let name = |shard: u32| topology.queue(consumer, shard);
                let found: Vec<u32> = (0..count + 150).filter(|shard| matched(&name(*shard))).collect();
                assert_eq!(found, (0..count).collect::<Vec<_>>(), "{}", shard_queues(&topology));
                assert!(!matched(&format!("{}0", name(0))) && !matched(&format!("x{}", name(0))));
            }
            assert!(!matched("0(1of2).ledger"));
        }
        for strange in ["orders.ledger.g1.00", "orders.ledger.g2.0", "orders.aXb+c.g1.0", "orders.mail.g1.0"]
        {
            topology.queues.name = Template::parse("{topology}.{consumer}.g{generation}.{shard}").unwrap();
            assert_eq!(Pattern::new(&shard_queues(&topology)).matches(strange), Some(false), "{strange}");
        }
    }
}

#[test]
fn another_user_policy_on_the_queues_is_in_the_way() {
    for (pattern, priority) in [("g1", 0), ("g1", 5), ("g1.1", -3), ("\\h", 0)] {
        let (plan, _) = with_limits(&[Some(10), Some(7)], &[other(pattern, priority)]);
        let expected = "replace policy topo.orders: max-length Integer(10) -> Integer(7); \
                        policy in force Text(\"theirs\") -> Text(\"topo.orders\") [TOPO0215]";
        assert_eq!(lines(&plan), [expected], "{pattern}");
        assert!(plan.is_refused());
    }
    // Operator policies are joined with user policies; others reach other queues only.
    let operator = Policy { author: Author::Operator, ..other("g1", 9) };
    for harmless in [operator, other("dead", 9), Policy { apply_to: ApplyTo::Exchanges, ..other("", 9) }] {
        let (plan, _) = with_limits(&[Some(10), Some(7)], &[harmless]);
        assert_eq!(plan.steps().count(), 1, "{plan:?}");
    }
    // One that comes later: with a lower priority it does nothing, else ours is not in force any more.
    let (plan, mut world) = with_limits(&[Some(10), Some(7), Some(7)], &[]);
    assert!(plan.is_empty());
    let mut topology = orders(QueueKind::Quorum);
    topology.queues.max_length = Some(7);
    for (priority, refused) in [(-1, false), (0, true), (1, true)] {
        world.policies.as_mut().unwrap().push(other("g1", priority));
        assert_eq!(diff(&topology, &world, &[]).is_refused(), refused, "{priority}");
        world.policies.as_mut().unwrap().pop();
    }
}

#[test]
fn what_others_made_of_our_policy_is_mended() {
    let (_, mut world) = with_limits(&[Some(10), Some(7), Some(7)], &[]);
    let mut topology = orders(QueueKind::Quorum);
    topology.queues.max_length = Some(7);
    let own = world.policies.as_mut().unwrap().last_mut().unwrap();
    own.definition = [("message-ttl".to_owned(), Value::Integer(1))].into();
    own.pattern = String::new();
    (own.apply_to, own.priority) = (ApplyTo::All, 4);
    let plan = diff(&topology, &world, &[]);
    let expected = "update policy topo.orders: max-length Integer(10) -> Integer(7); \
                    message-ttl Integer(1) -> none; pattern Text(\"\") -> \
                    Text(\"^orders\\\\.ledger\\\\.g1\\\\.[0-1]$\"); apply-to Text(\"all\") -> Text(\"queues\"); \
                    priority Integer(4) -> Integer(0)";
    assert_eq!(lines(&plan), [expected]);
    carry_out(&mut world, plan.steps().next().unwrap());
    assert!(diff(&topology, &world, &[]).is_empty());
}

#[test]
fn a_delivery_limit_is_lowered_where_the_version_lets_a_policy_do_it() {
    let mut topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    let asked = |topology: &Topology, world: &Observed| lines(&diff(topology, world, &[]));
    topology.queues.delivery_limit = 20;
    let replace =
        REPLACE.map(|queue| format!("{queue}x-delivery-limit Integer(1000) -> Integer(20) [TOPO0202]"));
    for version in [None, Some("RabbitMQ 3.10.8"), Some("RabbitMQ 4.0.5")] {
        world.broker_version = version.map(str::to_owned);
        assert_eq!(asked(&topology, &world), replace, "{version:?}");
    }
    world.broker_version = Some("RabbitMQ 4.1.0".to_owned());
    let expected = ["update policy topo.orders: delivery-limit Integer(1000) -> Integer(20)"];
    assert_eq!(asked(&topology, &world), expected);
    topology.queues.delivery_limit = 1001;
    assert_eq!(asked(&topology, &world).len(), 2);
}

#[test]
fn without_a_look_at_policies_a_limit_is_an_argument() {
    let mut topology = orders(QueueKind::Quorum);
    let mut world = whole(&topology);
    topology.queues.max_length = Some(7);
    world.policies = None;
    assert!(diff(&topology, &world, &[]).is_refused());
    let own = Policy { name: "topo.orders".to_owned(), ..other("g1", 0) };
    world.policies = Some(vec![own]);
    assert!(!diff(&topology, &world, &[]).is_refused());
    assert_eq!(diff(&topology, &through_amqp(world), &[]).count(topo::domain::plan::Action::Delete), 0);
}
