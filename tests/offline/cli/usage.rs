//! Arguments: what is accepted, what is refused, and with which exit code.

use super::run::Place;

#[track_caller]
fn refused(place: &Place, args: &[&str], code: i32, words: &[&str]) {
    let ran = place.topo(args);
    assert_eq!(ran.code, code, "topo {args:?}: {ran:#?}");
    assert_eq!(ran.stdout, "", "standard output carries results only");
    for word in words {
        assert!(ran.stderr.contains(word), "topo {args:?} does not say {word:?}: {}", ran.stderr);
    }
}

#[test]
fn bad_arguments_end_with_2_and_contact_nothing() {
    let place = Place::example();
    refused(&place, &[], 2, &["Usage"]);
    refused(&place, &["plann"], 2, &["error[TOPO0103]:", "plan"]);
    refused(&place, &["plan", "--no-such-flag"], 2, &["error[TOPO0103]:", "--no-such-flag"]);
    refused(&place, &["consume"], 2, &["--shard"]);
    refused(&place, &["consume", "--shard", "3", "--all"], 2, &["--all"]);
    refused(&place, &["consume", "--shard", "1", "--shards", "0-3"], 2, &["--shards"]);
    refused(&place, &["consume", "--shards", "3-1"], 2, &["backwards"]);
    refused(&place, &["consume", "--shard", "8"], 2, &["error[TOPO0103]:", "no shard 8", "0 to 7"]);
    refused(&place, &["consume", "--shards", "0-3,9"], 2, &["no shard 9"]);
    refused(&place, &["consume", "ledgre", "--all"], 2, &["error[TOPO0105]:", "ledgre", "ledger"]);
    refused(&place, &["consume", "--all", "--max-messages", "0"], 2, &["--max-messages"]);
    refused(&place, &["consume", "--all", "--idle-timeout", "soon"], 2, &["--idle-timeout"]);
    refused(&place, &["plan", "--timeout", "0s"], 2, &["longer than zero"]);
    refused(&place, &["plan", "-q", "-v"], 2, &["--quiet"]);
    refused(&place, &["publish", "orders.jsonl", "missing.jsonl"], 2, &["error[TOPO0101]:", "missing.jsonl"]);
    refused(&place, &["publish", "consumers"], 2, &["consumers"]);
    refused(&place, &["destroy", "--confirm", "orders"], 2, &["--discard-messages"]);
    let args = ["destroy", "--discard-messages", "--yes", "--confirm", "order"];
    refused(&place, &args, 5, &["error[TOPO0203]:", "order", "orders"]);
    refused(&place, &["route"], 2, &["KEY"]);
    refused(&place, &["route", ""], 2, &["error[TOPO0103]:", "empty"]);
    refused(&place, &["route", "--simulate", "missing.jsonl"], 2, &["missing.jsonl"]);
    refused(&place, &["explain", "9999"], 2, &["9999", "TOPO0102"]);
}

#[test]
fn a_file_that_is_missing_is_named_with_a_way_out() {
    let place = Place::empty();
    for command in ["check", "plan", "apply", "status", "publish"] {
        refused(
            &place,
            &[command],
            2,
            &["error[TOPO0101]:", "topology.yaml", "help:", "safe to run again: yes"],
        );
    }
    refused(&place, &["-f", "elsewhere.yaml", "check"], 2, &["elsewhere.yaml"]);
}

#[test]
fn an_invalid_file_ends_with_2_and_every_problem_has_its_place() {
    let cases: &[(&str, &[&str])] = &[
        ("topology: orders\nshards: 8\nkey: [\n", &["topology.yaml:"]),
        ("topology: orders\nshards: 8\nkye: /orderId\n", &["topology.yaml:3:1", "kye", "key"]),
        ("topology: orders\nshards: 0\nkey: /orderId\n", &["topology.yaml:2:", "shards"]),
        ("topology: orders\nshards: 8\nkey: orderId\n", &["topology.yaml:3:", "/orderId"]),
        ("topology: orders\nshards: many\nkey: orderId\n", &["topology.yaml:2:", "topology.yaml:3:"]),
    ];
    for (text, words) in cases {
        let place = Place::with(text);
        for command in ["check", "plan", "apply", "status"] {
            refused(&place, &[command], 2, &[&["error[TOPO0102]:", "help:"], *words].concat());
        }
    }
}

#[test]
fn several_consumers_must_be_told_apart() {
    let place =
        Place::with("topology: orders\nshards: 2\nkey: /orderId\nconsumers: {ledger: {}, stock: {}}\n");
    place.write("consumers/ledger/handler.sql", "SELECT 1;");
    place.write("consumers/stock/handler.sql", "SELECT 1;");
    refused(&place, &["consume", "--all"], 2, &["error[TOPO0105]:", "ledger", "stock"]);
}

#[test]
fn a_consumer_without_a_handler_can_t_be_run() {
    let place = Place::with("topology: orders\nshards: 2\nkey: /orderId\nconsumers: {ledger: {}}\n");
    refused(&place, &["consume", "--all"], 2, &["ledger", "handler.sql"]);
}

#[test]
fn help_and_version_are_results() {
    let place = Place::empty();
    let version = place.topo(&["--version"]);
    assert_eq!((version.code, version.stderr.as_str()), (0, ""));
    assert_eq!(version.stdout, format!("topo {}\n", env!("CARGO_PKG_VERSION")));
    for command in [
        "init",
        "check",
        "plan",
        "apply",
        "destroy",
        "route",
        "publish",
        "consume",
        "status",
        "doctor",
        "permissions",
        "schema",
        "explain",
    ] {
        let help = place.topo(&[command, "--help"]);
        assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{command}");
        assert!(help.stdout.contains("--file"), "global flags are in the help of {command}");
    }
}

#[test]
fn the_help_shows_no_value_of_the_environment() {
    let place = Place::empty().env("TOPO_BROKER_URL", "amqp://app:hunter2@broker/");
    for args in [&["--help"][..], &["plan", "--help"], &["publish", "-h"]] {
        assert!(!place.topo(args).all().contains("hunter2"));
    }
}

#[test]
fn the_help_is_as_reviewed() {
    insta::assert_snapshot!(Place::empty().topo(&["--help"]).stdout);
    insta::assert_snapshot!(Place::empty().topo(&["consume", "-h"]).stdout);
}
