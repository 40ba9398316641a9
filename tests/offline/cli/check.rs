//! `topo check`: SQL problems, and cases replayed on a throw-away store.

use super::run::Place;

#[test]
fn a_case_that_comes_out_differently_shows_both_and_ends_with_3() {
    let place = Place::example();
    place.write("consumers/ledger/cases/01_two_orders.expected", "> SELECT count(*) FROM orders\n7\n");
    let ran = place.topo(&["check"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stderr.contains("error[TOPO0108]:"), "{}", ran.stderr);
    for word in ["01_two_orders.expected:1", "expected:", "7", "found:", "2"] {
        assert!(ran.stdout.contains(word), "{word:?} is missing: {}", ran.stdout);
    }
    let json = place.topo(&["check", "-o", "json"]);
    assert_eq!(json.code, 3);
    assert_eq!(json.json()["ok"], false);
    assert_eq!(json.json()["cases"][0]["case"], "01_two_orders");
}

#[test]
fn a_case_whose_message_fails_names_it() {
    let place = Place::example();
    place.write(
        "consumers/ledger/cases/09_poison.jsonl",
        "{\"messageId\":\"m1\",\"aggregateId\":\"1\",\"eventType\":\"order.created\",\"payload\":{}}\n",
    );
    let ran = place.topo(&["check"]);
    assert_eq!(ran.code, 3, "{ran:#?}");
    assert!(ran.stdout.contains("message 1"), "{}", ran.stdout);
}

#[test]
fn nothing_is_left_behind() {
    let place = Place::example();
    assert_eq!(place.topo(&["check"]).code, 0);
    let left: Vec<_> = std::fs::read_dir(place.dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("topo-check"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_parameter_that_does_not_exist_is_found_with_its_place() {
    let place = Place::example();
    place
        .write("consumers/ledger/handler.sql", "-- one\nINSERT INTO orders (order_id)\nVALUES (:orderid);\n");
    let ran = place.topo(&["check"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("consumers/ledger/handler.sql:3:9"), "{}", ran.stderr);
    let json = place.topo(&["check", "-o", "json"]).json();
    assert_eq!(json["problems"][0]["line"], 3);
}

#[test]
fn answers_without_messages_are_found() {
    let place = Place::example();
    place.write("consumers/ledger/cases/02_lost.expected", "> SELECT 1\n1\n");
    let ran = place.topo(&["check"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("02_lost"), "{}", ran.stderr);
}

#[test]
fn a_version_on_the_command_line_beats_the_one_of_the_file() {
    let place = Place::empty();
    place.write(
        "topology.yaml",
        "topology: orders\nshards: 2\nkey: /orderId\nbroker: {version: 4.3}\nqueues:\n  arguments:\n    \
         x-consumer-disconnected-timeout: 5000\n",
    );
    assert_eq!(place.topo(&["check"]).code, 0);
    let ran = place.topo(&["check", "--broker-version", "4.2"]);
    assert_eq!(ran.code, 2, "{ran:#?}");
    assert!(ran.stderr.contains("topology.yaml:7:5: queues.arguments.x-consumer-disconnected-timeout:"));
    let json = place.topo(&["check", "--broker-version", "4.2", "-o", "json"]).json();
    assert_eq!((&json["problems"][0]["line"], &json["problems"][0]["column"]), (&7.into(), &5.into()));
    assert_eq!(place.topo(&["check", "--broker-version", "3.9"]).code, 2);
}

#[test]
fn what_only_some_versions_do_is_a_warning_that_names_them() {
    let place = Place::empty();
    place.write(
        "topology.yaml",
        "topology: orders\nshards: 2\nkey: /orderId\nqueues: {arguments: {x-consumer-disconnected-timeout: 5000}}\n",
    );
    let ran = place.topo(&["check"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let line = "warning: topology.yaml:4:22: queues.arguments.x-consumer-disconnected-timeout: on RabbitMQ 3.10, 4.0, \
                4.1 and 4.2 it does nothing on quorum queues";
    assert!(ran.stdout.lines().any(|l| l == line), "{}", ran.stdout);
    let json = place.topo(&["check", "-o", "json"]).json();
    assert_eq!(json["ok"], true);
    let path = "queues.arguments.x-consumer-disconnected-timeout";
    assert!(json["warnings"].as_array().unwrap().iter().any(|w| w["path"] == path), "{json}");
}
