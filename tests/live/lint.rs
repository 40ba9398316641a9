//! The table of queue arguments and the rules of policies, held against the broker of this run.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use topo::domain::{
    lint::{
        Queue, QueueType, Role,
        arguments::{Weight, judge, rows},
        policy::is_applicable,
        row::{Answer, Row, Takes},
    },
    observed::Value,
    version::BrokerVersion,
};

use crate::harness::rabbitmq::{Vhost, encode};

fn version(vhost: &Vhost<'_>) -> BrokerVersion {
    let (major, minor) = vhost.broker().version();
    BrokerVersion::new(major.try_into().unwrap(), minor.try_into().unwrap(), 0)
}

fn json(value: &Value) -> Json {
    match value {
        Value::Integer(number) => json!(number),
        Value::Text(text) | Value::Other(text) => json!(text),
        Value::Bool(flag) => json!(flag),
    }
}

/// Declares a queue of `kind` with `arguments`; the broker's reason when it refuses.
fn declare(
    vhost: &Vhost<'_>,
    name: &str,
    kind: QueueType,
    arguments: &BTreeMap<String, Value>,
) -> Result<(), String> {
    let mut map: serde_json::Map<_, _> = arguments.iter().map(|(n, v)| (n.clone(), json(v))).collect();
    map.insert("x-queue-type".to_owned(), json!(kind.as_str()));
    let body = json!({"durable": true, "arguments": map}).to_string();
    let (status, answer) = vhost.management("PUT", "queues", &format!("/{}", encode(name)), &body);
    if status == 201 { Ok(()) } else { Err(format!("{status} {answer}")) }
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

/// Values that a row takes, and values that it does not.
fn samples(row: &Row) -> (Vec<Value>, Vec<Value>) {
    match row.takes {
        Takes::Integer(min, max) => {
            let mut good = vec![Value::Integer(min.max(1)), Value::Integer(max.min(2000))];
            good.dedup();
            let mut bad = vec![text("5")];
            bad.extend((min > i64::MIN).then(|| Value::Integer(min - 1)));
            (good, bad)
        }
        Takes::Bool => (vec![Value::Bool(true), Value::Bool(false)], vec![text("true"), Value::Integer(1)]),
        Takes::Text if row.name == "x-max-age" => (vec![text("1h")], vec![Value::Integer(5)]),
        Takes::Text => (vec![text("somewhere")], vec![Value::Integer(5)]),
        Takes::Word(words) => {
            (words.iter().map(|word| text(word)).collect(), vec![text("nonsense"), Value::Integer(5)])
        }
    }
}

/// The arguments of one trial: some can't stand alone.
fn trial(row: &Row, value: &Value) -> BTreeMap<String, Value> {
    let mut arguments = BTreeMap::from([(row.name.to_owned(), value.clone())]);
    if row.name == "x-dead-letter-routing-key" {
        arguments.insert("x-dead-letter-exchange".to_owned(), text(""));
    }
    arguments
}

fn agrees(kind: QueueType) {
    let vhost = Vhost::fresh("arguments");
    let version = version(&vhost);
    let mut wrong = Vec::new();
    let mut number = 0;
    for row in rows().iter().filter(|row| row.name != "x-queue-type") {
        let (good, bad) = samples(row);
        // Whether brokers look at values shows where the argument does something.
        let bad = if row.answer(kind, version) == Answer::Works { bad } else { Vec::new() };
        for (value, good) in good.iter().map(|v| (v, true)).chain(bad.iter().map(|v| (v, false))) {
            let arguments = trial(row, value);
            let queue = Queue { role: Role::Shard, kind, arguments: &arguments };
            let refused = judge(&queue, &[version])
                .iter()
                .any(|f| f.argument == row.name && f.weight == Weight::Refused);
            assert!(good || refused, "{kind} {} {value:?}: we take a wrong value", row.name);
            number += 1;
            let answer = declare(&vhost, &format!("q{number}"), kind, &arguments);
            let expected = if good { refused } else { row.is_checked(version) };
            if row.answer(kind, version) == Answer::Closes {
                let said = answer.clone().unwrap_err();
                assert!(said.contains("is deprecated"), "{}: {said}", row.name);
            }
            if answer.is_err() != expected {
                wrong.push(format!("{} {value:?}: refused {expected} expected, got {answer:?}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{kind} on {version}:\n{}", wrong.join("\n"));
}

#[test]
fn classic_queues_answer_as_the_table_says() {
    agrees(QueueType::Classic);
}

#[test]
fn quorum_queues_answer_as_the_table_says() {
    agrees(QueueType::Quorum);
}

#[test]
fn streams_answer_as_the_table_says() {
    agrees(QueueType::Stream);
}

#[test]
fn a_misspelt_argument_is_stored_and_does_nothing() {
    let vhost = Vhost::fresh("misspelt");
    for kind in QueueType::ALL {
        let arguments = BTreeMap::from([("x-delivery-limits".to_owned(), Value::Integer(5))]);
        declare(&vhost, kind.as_str(), kind, &arguments).unwrap();
        let (_, answer) = vhost.management("GET", "queues", &format!("/{kind}"), "");
        let answer: Json = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["arguments"]["x-delivery-limits"], 5, "{kind}");
    }
}

#[test]
fn reserved_and_long_names_are_refused() {
    let vhost = Vhost::fresh("names");
    for name in ["amq.orders".to_owned(), "x".repeat(256)] {
        assert!(declare(&vhost, &name, QueueType::Classic, &BTreeMap::new()).is_err(), "{name}");
    }
    declare(&vhost, &"x".repeat(255), QueueType::Classic, &BTreeMap::new()).unwrap();
}

/// Publishes `1` to `count`, then takes everything out of `queue`.
fn kept(vhost: &Vhost<'_>, queue: &str, count: usize) -> Vec<String> {
    for number in 1..=count {
        let message = json!({"properties": {"delivery_mode": 2}, "routing_key": queue,
            "payload": number.to_string(), "payload_encoding": "string"});
        // A queue that is full may refuse: that is what is tried.
        vhost.management("POST", "exchanges", "/amq.default/publish", &message.to_string());
    }
    let ask = json!({"count": 100, "ackmode": "ack_requeue_false", "encoding": "auto"}).to_string();
    let (status, answer) = vhost.management("POST", "queues", &format!("/{queue}/get"), &ask);
    assert_eq!(status, 200, "{answer}");
    let messages: Vec<Json> = serde_json::from_str(&answer).unwrap();
    messages.iter().map(|message| message["payload"].as_str().unwrap().to_owned()).collect()
}

fn policy(vhost: &Vhost<'_>, definition: &Json) {
    let body = json!({"pattern": ".*", "apply-to": "queues", "definition": definition}).to_string();
    let (status, answer) = vhost.management("PUT", "policies", "/p", &body);
    assert!(status == 201 || status == 204, "{answer}");
}

#[test]
fn overflow_of_a_policy_beats_the_argument_on_quorum_queues_only() {
    let vhost = Vhost::fresh("overflow");
    policy(&vhost, &json!({"overflow": "drop-head"}));
    let arguments = BTreeMap::from([
        ("x-overflow".to_owned(), text("reject-publish")),
        ("x-max-length".to_owned(), Value::Integer(2)),
    ]);
    for (kind, oldest_goes) in [(QueueType::Quorum, true), (QueueType::Classic, false)] {
        declare(&vhost, kind.as_str(), kind, &arguments).unwrap();
        let kept = kept(&vhost, kind.as_str(), 10);
        let (first, last) = (kept.contains(&"1".to_owned()), kept.contains(&"10".to_owned()));
        assert_eq!((!first, last), (oldest_goes, oldest_goes), "{kind}: {kept:?}");
    }
}

#[test]
fn one_key_that_a_type_can_not_have_keeps_the_whole_policy_away() {
    let vhost = Vhost::fresh("foreign-key");
    let version = version(&vhost);
    let limit = ("max-length".to_owned(), Value::Integer(2));
    let extras = [
        None,
        Some(("max-age", text("1h"))),
        Some(("delivery-limit", Value::Integer(5))),
        Some(("queue-leader-locator", text("client-local"))),
        Some(("max-in-memory-length", Value::Integer(5))),
    ];
    for (number, extra) in extras.into_iter().enumerate() {
        let extra = extra.map(|(key, value)| (key.to_owned(), value));
        let definition: BTreeMap<_, _> = extra.into_iter().chain([limit.clone()]).collect();
        let map: serde_json::Map<_, _> = definition.iter().map(|(k, v)| (k.clone(), json(v))).collect();
        policy(&vhost, &Json::Object(map));
        for kind in [QueueType::Quorum, QueueType::Classic] {
            let name = format!("{kind}{number}");
            declare(&vhost, &name, kind, &BTreeMap::new()).unwrap();
            let kept = kept(&vhost, &name, 10);
            let applies = is_applicable(&definition, kind, Some(version));
            assert_eq!(kept.len() < 10, applies, "{definition:?} {kind}: {kept:?}");
        }
    }
}
