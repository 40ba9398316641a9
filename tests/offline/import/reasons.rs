//! What can't be expressed, and that everything of it is told.

use topo::domain::{
    diff::diff,
    import::{Survey, infer, leftovers},
    observed::{ObservedBinding, Value},
    topology::QueueKind,
};

use super::{draft, lines, renamed, survey};
use crate::support::topology;

fn orders(count: u32) -> Survey {
    survey(&topology("amqp://localhost", count, QueueKind::Quorum))
}

fn reasons(survey: &Survey) -> Vec<String> {
    lines(&infer(survey).expect_err("something that can't be expressed"))
}

fn set(survey: &mut Survey, queue: &str, argument: &str, value: Option<Value>) {
    let arguments = &mut survey.queues.get_mut(queue).expect("a queue").arguments;
    match value {
        Some(value) => arguments.insert(argument.to_owned(), value),
        None => arguments.remove(argument),
    };
}

fn binding(source: &str, destination: &str, to_queue: bool, key: &str) -> ObservedBinding {
    ObservedBinding {
        source: source.to_owned(),
        destination: destination.to_owned(),
        to_queue,
        routing_key: key.to_owned(),
        has_arguments: false,
    }
}

#[test]
fn an_argument_that_does_nothing_is_no_reason() {
    let mut survey = orders(3);
    set(&mut survey, "orders.ledger.g1.1", "x-made-by", Some(Value::Text("hand".to_owned())));
    set(&mut survey, "orders.ledger.g1.1", "x-quorum-initial-group-size", Some(Value::Integer(3)));
    set(&mut survey, "orders.ledger.g1.2", "x-queue-leader-locator", None);
    assert_eq!(draft(&survey), draft(&orders(3)));
}

#[test]
fn an_argument_that_all_have_is_written_when_it_may_stand_there() {
    let mut survey = orders(2);
    for queue in ["orders.ledger.g1.0", "orders.ledger.g1.1"] {
        set(&mut survey, queue, "x-quorum-initial-group-size", Some(Value::Integer(5)));
        set(&mut survey, queue, "x-made-by", Some(Value::Text("hand".to_owned())));
    }
    let arguments = draft(&survey).arguments;
    assert_eq!(
        arguments.into_iter().collect::<Vec<_>>(),
        [("x-quorum-initial-group-size".to_owned(), Value::Integer(5))]
    );
}

#[test]
fn numbers_keep_their_type() {
    let mut survey = orders(2);
    set(&mut survey, "orders.ledger.g1.1", "x-delivery-limit", Some(Value::Text("1000".to_owned())));
    assert_eq!(reasons(&survey), ["queue orders.ledger.g1.1: x-delivery-limit: found \"1000\", needed 1000"]);
}

#[test]
fn a_dead_letter_queue_that_is_missing_or_forgets_is_a_reason() {
    let mut survey = orders(2);
    set(&mut survey, "orders.ledger.dead", "x-delivery-limit", Some(Value::Integer(20)));
    assert_eq!(reasons(&survey), ["queue orders.ledger.dead: x-delivery-limit: found 20, needed 1000000000"]);
    survey.queues.remove("orders.ledger.dead");
    assert_eq!(
        reasons(&survey),
        ["queue orders.ledger.dead: queue: found absent, needed the dead-letter queue itself"]
    );
}

#[test]
fn bindings_of_others_are_reasons() {
    let mut survey = orders(2);
    survey.bindings.push(binding("audit", "orders.ledger.g1.0", true, "#"));
    survey.bindings.push(binding("audit", "orders", false, "x"));
    survey.bindings.push(binding("orders", "archive", false, "orders.g1.0of2"));
    survey.bindings.push(binding("elsewhere", "nobody", true, "x"));
    let expected = [
        "binding orders -> archive (orders.g1.0of2): destination: found an exchange, needed a queue",
        "binding audit -> orders.ledger.g1.0 (#): source: found audit, needed bindings from orders alone",
        "binding audit -> orders (x): source: found audit, needed bindings from orders alone",
    ];
    assert_eq!(reasons(&survey), expected);
}

#[test]
fn a_queue_bound_to_the_key_of_another_shard_is_a_reason() {
    let mut survey = orders(3);
    let [first, second, _] = survey.bindings.as_mut_slice() else { panic!("three bindings") };
    std::mem::swap(&mut first.routing_key, &mut second.routing_key);
    let found = reasons(&survey);
    assert!(found.iter().any(|reason| reason.contains("the shard number of its routing key")), "{found:#?}");
}

#[test]
fn a_shard_that_one_consumer_lacks_is_named() {
    let mut survey = orders(4);
    survey.bindings.retain(|binding| binding.destination != "orders.ledger.g1.2");
    survey.bindings.push(binding("orders", "orders.mail.g1.2", true, "orders.g1.2of4"));
    let found = reasons(&survey);
    assert!(
        found.iter().any(|reason| reason
            .starts_with("queues orders.ledger.g1.{shard}: shard numbers: found 0 to 3 without 2")),
        "{found:#?}"
    );
}

#[test]
fn names_without_numbers_are_told_in_one_line_each() {
    let word = |text: &str| match text {
        text if text.ends_with('0') || text.contains(".0of") => "north".to_owned(),
        text if text.ends_with('1') || text.contains(".1of") => "south".to_owned(),
        text => text.to_owned(),
    };
    let expected = [
        "routing keys: shard numbers: found north, south, needed one form, with numbers from 0",
        "queues: shard numbers: found north, south, needed one form, with numbers from 0",
    ];
    assert_eq!(reasons(&renamed(&orders(2), word, word)), expected);
}

#[test]
fn braces_outside_of_known_names_are_a_reason() {
    let found = reasons(&renamed(&orders(2), str::to_owned, |key| format!("{{{key}}}")));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("no braces outside"), "{found:#?}");
}

#[test]
fn an_exchange_without_queues_is_a_reason() {
    let mut survey = orders(2);
    survey.bindings.clear();
    assert_eq!(
        reasons(&survey),
        ["exchange orders: bindings: found none to a queue, needed one queue per shard"]
    );
}

#[test]
fn what_a_plan_leaves_is_told_with_object_and_field() {
    let topology = topology("amqp://localhost", 2, QueueKind::Quorum);
    let mut world = crate::plan::diff::whole(&topology);
    world.queues.remove("orders.ledger.g1.1");
    let left = lines(&leftovers(&diff(&topology, &world, &[])));
    assert!(left.iter().any(|line| line.starts_with("queue orders.ledger.g1.1: ")), "{left:#?}");
    assert!(leftovers(&diff(&topology, &crate::plan::diff::whole(&topology), &[])).is_empty());
}
