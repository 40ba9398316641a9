//! `topo check --definitions` on exports of three versions: `VERSION-all.json` of rabbitmqctl, with every
//! vhost, `VERSION-vhost.json` of the management API, with one. Users were taken out.
//!
//! In each the same was done by hand: a TTL for every queue, an operator's length limit, the dead-letter
//! queue with a limit of 20 and bound to the exchange.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::run::Place;

const VERSIONS: [&str; 3] = ["3.10", "4.0", "4.3"];
const FORMS: [&str; 2] = ["all", "vhost"];

fn export(version: &str, form: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/offline/cli/definitions/{version}-{form}.json"))
}

fn read(version: &str, form: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(export(version, form)).unwrap()).unwrap()
}

fn place(vhost: &str, shards: u32) -> Place {
    let place = Place::empty();
    place.write(
        "topology.yaml",
        &format!(
            "topology: orders\nshards: {shards}\nkey: /orderId\nbroker: amqp://localhost/{vhost}\n\
             consumers: {{ledger: {{}}}}\n"
        ),
    );
    place.write("consumers/ledger/handler.sql", "SELECT 1;\n");
    place
}

/// `code kind name` of what is found, and the warnings.
fn found(place: &Place, file: &str, code: i32) -> (Vec<String>, Vec<String>) {
    let ran = place.topo(&["check", "--definitions", file, "-o", "json"]);
    assert_eq!(ran.code, code, "{ran:#?}");
    let json = ran.json();
    assert_eq!(json["ok"], code == 0);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let line = |f: &Value| format!("{} {} {}", text(&f["code"]), text(&f["kind"]), text(&f["name"]));
    let list = |key: &str| json[key].as_array().unwrap().clone();
    let warnings = list("warnings").iter().map(|warning| text(&warning["message"])).collect();
    (list("definitions").iter().map(line).collect(), warnings)
}

#[test]
fn what_was_done_by_hand_is_found_in_exports_of_every_version() {
    for version in VERSIONS {
        for form in FORMS {
            let file = export(version, form);
            let (mut found, warnings) = found(&place("shop", 2), file.to_str().unwrap(), 3);
            found.sort();
            assert_eq!(
                found,
                [
                    "TOPO0202 queue orders.ledger.dead",
                    "TOPO0206 binding orders -> orders.ledger.dead (orders.g1.1of2)",
                    "TOPO0213 policy policy ttl on 3 queues (orders.ledger.dead first)",
                    "TOPO0215 policy operator policy short on 3 queues (orders.ledger.dead first)",
                    "TOPO0221 queue orders.ledger.dead",
                ],
                "{version} {form}"
            );
            assert_eq!(warnings, [""; 0], "{version} {form}");
        }
    }
}

#[test]
fn an_export_of_what_topo_made_is_fine() {
    for version in VERSIONS {
        let mut export = read(version, "all");
        for kind in ["policies", "parameters"] {
            export[kind] = Value::Array(Vec::new());
        }
        export["bindings"].as_array_mut().unwrap().retain(|b| b["destination"] != "orders.ledger.dead");
        for queue in export["queues"].as_array_mut().unwrap() {
            if queue["name"] == "orders.ledger.dead" {
                queue["arguments"]["x-delivery-limit"] = 1_000_000_000.into();
            }
        }
        let place = place("shop", 2);
        place.write("export.json", &export.to_string());
        assert_eq!(found(&place, "export.json", 0), (Vec::new(), Vec::new()), "{version}");
    }
}

#[test]
fn what_the_export_does_not_hold_is_said_and_is_no_fault() {
    let mut export = read("4.3", "vhost");
    for kind in ["policies", "parameters", "bindings", "queues"] {
        export[kind] = Value::Array(Vec::new());
    }
    let place = place("shop", 2);
    place.write("export.json", &export.to_string());
    let (found, warnings) = found(&place, "export.json", 0);
    assert_eq!(found, [""; 0]);
    assert_eq!(warnings, ["it does not hold queue orders.ledger.dead and 4 more"]);
}

#[test]
fn another_count_of_shards_makes_the_queues_orphans() {
    let file = export("4.0", "all");
    let (found, _) = found(&place("shop", 1), file.to_str().unwrap(), 3);
    assert!(found.contains(&"TOPO0218 queue orders.ledger.g1.1".to_owned()), "{found:?}");
}

#[test]
fn text_names_each_object_and_what_is_wrong_with_it() {
    let file = export("4.0", "all");
    let ran = place("shop", 2).topo(&["check", "--definitions", file.to_str().unwrap()]);
    assert_eq!(ran.code, 3);
    for line in [
        "TOPO0202 queue orders.ledger.dead: x-delivery-limit is 20, should be 1000000000",
        "TOPO0213 policy ttl on 3 queues (orders.ledger.dead first): message-ttl is 60000, should be absent",
        "TOPO0221 queue orders.ledger.dead: x-delivery-limit 20 deletes messages that lost their consumers that often",
    ] {
        assert!(ran.stdout.lines().any(|l| l == line), "{line}\n{}", ran.stdout);
    }
    assert!(
        ran.stderr.contains("the definitions differ from the topology or endanger it: 5"),
        "{}",
        ran.stderr
    );
}

#[test]
fn another_vhost_and_another_file_are_no_export_of_it() {
    let place = place("billing", 2);
    let file = export("4.0", "all");
    let ran = place.topo(&["check", "--definitions", file.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("\"billing\"") && ran.stderr.contains("\"shop\""), "{}", ran.stderr);
    for (name, text) in [("a.json", "{}"), ("b.json", "nonsense"), ("c.json", "[1]")] {
        place.write(name, text);
        let ran = place.topo(&["check", "--definitions", name]);
        assert_eq!(ran.code, 2, "{text}");
        assert!(ran.stderr.contains("no export of definitions"), "{}", ran.stderr);
    }
    let ran = place.topo(&["check", "--definitions", "missing.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("TOPO0101"), "{}", ran.stderr);
}
