//! Commands that contact nothing: what they print.

use super::run::Place;

#[test]
fn explain_takes_a_code_in_every_spelling() {
    let place = Place::empty();
    let full = place.topo(&["explain", "TOPO0102"]);
    assert_eq!(full.code, 0, "{full:#?}");
    assert!(full.stdout.starts_with("TOPO0102: "), "{}", full.stdout);
    for spelling in ["0102", "102", "topo0102"] {
        assert_eq!(place.topo(&["explain", spelling]).stdout, full.stdout);
    }
    let json = place.topo(&["explain", "102", "-o", "json"]).json();
    assert_eq!(json["code"], "TOPO0102");
    assert!(json["title"].is_string() && json["help"].is_string());
}

#[test]
fn the_schemas_are_json_and_describe_the_files() {
    let place = Place::empty();
    let topology = place.topo(&["schema"]);
    assert_eq!((topology.code, topology.stderr.as_str()), (0, ""));
    assert!(topology.json()["properties"]["shards"].is_object());
    assert!(place.topo(&["schema", "--consumer"]).json()["properties"]["handler"].is_object());
}

#[test]
fn route_shows_hash_shard_routing_key_and_queues() {
    let place =
        Place::with("topology: orders\nshards: 8\nkey: /orderId\nconsumers: {ledger: {}, stock: {}}\n");
    let ran = place.topo(&["route", "1001", "order 7", "-o", "json"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    let rows = ran.json();
    // xxh64("1001") = 0996254041cb8728, by independent implementations; modulo 8 that is 0.
    assert_eq!(
        rows[0],
        serde_json::json!({
            "key": "1001",
            "hash": "0996254041cb8728",
            "shard": 0,
            "routing_key": "orders.g1.0of8",
            "queues": {"ledger": "orders.ledger.g1.0", "stock": "orders.stock.g1.0"},
        })
    );
    assert_eq!(rows[1]["key"], "order 7");
    let text = place.topo(&["route", "1001"]);
    insta::assert_snapshot!(text.stdout);
}

#[test]
fn route_takes_keys_from_standard_input() {
    let place = Place::minimal();
    let rows = place.topo_given(&["route", "-", "-o", "json"], "1001\n1002\n\n").json();
    let keys: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["1001", "1002"]);
}

#[test]
fn simulate_shows_the_spread_and_the_hottest_keys() {
    let place = Place::minimal();
    let mut lines = String::new();
    for n in 0..90 {
        lines.push_str(&format!("{{\"orderId\": \"{}\"}}\n", n % 30));
    }
    lines.push_str(&"{\"orderId\": 4711}\n".repeat(10));
    lines.push_str("{\"orderId\": null}\nnot json\n");
    place.write("orders.jsonl", &lines);
    let spread = place.topo(&["route", "--simulate", "orders.jsonl", "-o", "json"]).json();
    assert_eq!(spread["messages"], 100);
    assert_eq!(spread["invalid"], 2);
    assert_eq!(spread["keys"], 31);
    assert_eq!(spread["shards"].as_array().unwrap().len(), 8);
    let sum: u64 = spread["shards"].as_array().unwrap().iter().map(|s| s["messages"].as_u64().unwrap()).sum();
    assert_eq!(sum, 100);
    assert_eq!(spread["hot_keys"][0]["key"], "4711");
    assert_eq!(spread["hot_keys"][0]["messages"], 10);
    assert_eq!(place.topo(&["route", "--simulate", "orders.jsonl"]).code, 0);
}

#[test]
fn init_writes_an_example_that_checks_and_never_overwrites() {
    let place = Place::empty();
    let ran = place.topo(&["init", "shop"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:#?}");
    let check = place.topo(&["-f", "shop/topology.yaml", "check"]);
    assert_eq!(check.code, 0, "{check:#?}");
    assert!(check.stdout.contains("ledger/01_two_orders"), "{}", check.stdout);

    place.write("shop/orders.jsonl", "mine\n");
    let again = place.topo(&["init", "shop"]);
    assert_eq!(again.code, 5, "{again:#?}");
    assert!(again.stderr.contains("error[TOPO0107]:"), "{}", again.stderr);
    assert_eq!(place.read("shop/orders.jsonl"), "mine\n");
}

#[test]
fn expanded_is_a_topology_that_expands_to_itself() {
    let place = Place::example();
    let expanded = place.topo(&["check", "--expanded"]);
    assert_eq!(expanded.code, 0, "{expanded:#?}");
    place.write("full.yaml", &expanded.stdout);
    let again = place.topo(&["-f", "full.yaml", "check", "--expanded"]);
    assert_eq!((again.code, again.stdout), (0, expanded.stdout));
}

#[test]
fn colours_are_for_terminals_only() {
    let place = Place::example();
    for args in [&["check"][..], &["route", "1001"], &["plan", "--nope"], &["explain", "101"]] {
        assert!(!place.topo(args).all().contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn stdout_is_data_and_everything_else_goes_to_standard_error() {
    let place = Place::with("topology: orders\nshards: 8\nkey: /orderId\nshrads: 9\n");
    for arguments in
        [&["plan"][..], &["publish", "missing.jsonl"], &["consume", "--all"], &["status", "-o", "json"]]
    {
        let ran = place.topo(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}: {ran:#?}");
        assert!(ran.stderr.starts_with("error[TOPO01"), "{ran:#?}");
    }
    let talkative = Place::minimal().topo(&["route", "1001", "-vv", "-o", "json"]);
    assert_eq!(talkative.json().as_array().map(Vec::len), Some(1));
}
