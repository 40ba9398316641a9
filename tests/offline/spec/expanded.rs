//! `--expanded` prints a file that means the same, with every default in it.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use topo::{domain::topology::Topology, spec};

use super::world::{THREE_LINES, World};

#[test]
fn three_lines_become_the_full_form() {
    let world = World::new(THREE_LINES).with("consumers/ledger/handler.sql", "SELECT 1;\n");
    let expanded = world.anonymous(&world.load().expanded());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/offline/spec/expanded.yaml");
    if std::env::var_os("UPDATE_CASES").is_some() {
        std::fs::write(file, &expanded).unwrap();
    }
    assert_eq!(expanded, std::fs::read_to_string(file).unwrap());
}

/// Everything that a topology says, secrets included, so that two can be compared.
fn whole(topology: &Topology) -> String {
    let stores: Vec<_> = topology.consumers.values().map(|c| topology.store_of(c).url.expose()).collect();
    format!("{topology:#?}\n{}\n{stores:?}", topology.broker.url.expose())
}

/// What differs when the expanded form is loaded in place of the file; nothing should.
fn difference(world: World) -> Result<(), String> {
    let first = world.load();
    let topology = first.topology.as_ref().ok_or_else(|| format!("{:#?}", first.problems))?;
    let (text, consumers) = (first.expanded(), first.expanded_consumers());
    let mut again = world.with("topology.yaml", &text);
    for (path, text) in &consumers {
        let file = path.strip_prefix(again.path()).unwrap().to_str().unwrap().to_owned();
        again = again.with(&file, text);
    }
    let second = again.load();
    let same = second.topology.as_ref().ok_or_else(|| format!("{:#?}\n{text}", second.problems))?;
    if whole(topology) != whole(same) {
        return Err(format!("{text}\nmeant\n{topology:#?}\nmeans\n{same:#?}"));
    }
    if second.expanded() != text || second.expanded_consumers() != consumers {
        return Err(format!("{text}\nexpands to\n{}\n{consumers:?}", second.expanded()));
    }
    Ok(())
}

/// Paths with values that a file may have.
fn topology_values() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        (
            "topology",
            vec![json!("orders"), json!("${NAME}"), json!("订单 \"x\"\\: $$"), json!("on"), json!(2024)],
        ),
        ("broker.url", vec![json!("amqp://u:${PASSWORD}@host/%2f"), json!("${NOPE:-amqps://h}")]),
        ("broker.management_url", vec![json!("http://h:15672"), json!("${EMPTY}"), Value::Null]),
        ("exchange.name", vec![json!("- odd: [name] # x"), json!("null")]),
        ("exchange.type", vec![json!("topic"), json!("${DIRECT}")]),
        ("shards.count", vec![json!(1), json!("${FOUR}")]),
        ("shards.generation", vec![json!(7)]),
        ("shards.key", vec![json!("/a~1b/0"), json!("header:tenant id")]),
        ("shards.hash", vec![json!("java_string")]),
        ("shards.routing_key", vec![json!("k{generation}.{shard}.{count}")]),
        ("queues.name", vec![json!("{consumer}-{generation}-{shard}-{count}")]),
        ("queues.type", vec![json!("classic")]),
        ("queues.delivery_limit", vec![json!(1)]),
        ("queues.max_length", vec![json!(5), Value::Null]),
        ("queues.max_length_bytes", vec![json!("1500MB"), json!(1023), json!("1 kib")]),
        ("queues.dead_letter", vec![json!("{consumer}.dead")]),
        ("message.id", vec![json!("/id")]),
        ("message.sequence", vec![json!("/v")]),
        ("publish.in_flight", vec![json!(1)]),
        ("publish.in_flight_bytes", vec![json!("3GB")]),
        ("publish.confirm_timeout", vec![json!("90s"), json!("1h 30m")]),
        ("publish.order", vec![json!("strict")]),
        ("store.url", vec![json!("sqlite:${NAME}.db"), json!("postgres://u@h/db")]),
        ("store.schema", vec![json!("other")]),
        ("consumers.ledger.store.url", vec![json!("sqlite:///tmp/x.db")]),
        ("consumers.ledger.store.schema", vec![json!("true")]),
        ("consumers.mail", vec![json!({}), Value::Null]),
    ]
}

fn consumer_values() -> Vec<(&'static str, Vec<Value>)> {
    vec![
        (
            "handler",
            vec![
                json!({"exec": ["./run", "${PASSWORD}", "a b"], "claim": "before"}),
                json!({"http": "http://h"}),
                json!({"rust": "x"}),
            ],
        ),
        ("mode", vec![json!("batch")]),
        ("batch.max_messages", vec![json!(10)]),
        ("batch.linger", vec![json!("5ms"), json!("0s")]),
        ("prefetch", vec![json!(1)]),
        ("dedup", vec![json!("sequence"), json!(["/a", "/b c"])]),
        ("retry.attempts", vec![json!(1)]),
        ("retry.backoff", vec![json!("1s..1s"), json!("10ms")]),
        ("on_failure", vec![json!("dead_letter")]),
        ("timeout", vec![json!("1500ms")]),
        ("retention", vec![json!("52w")]),
    ]
}

/// A file that says some of these, chosen by the bits of `choice`.
fn file(values: &[(&str, Vec<Value>)], always: &[&str], choice: &[u8]) -> String {
    let mut root = Map::new();
    for ((path, options), pick) in values.iter().zip(choice) {
        if !always.contains(path) && pick % 2 == 0 {
            continue;
        }
        let mut section = &mut root;
        let names: Vec<_> = path.split('.').collect();
        for name in &names[..names.len() - 1] {
            section = section.entry(*name).or_insert_with(|| json!({})).as_object_mut().unwrap();
        }
        let value = options[usize::from(pick / 2) % options.len()].clone();
        section.insert(names[names.len() - 1].to_owned(), value);
    }
    // JSON is YAML.
    Value::Object(root).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_expanded_form_means_the_same(
        topology in prop::collection::vec(any::<u8>(), 30),
        consumer in prop::collection::vec(any::<u8>(), 12),
    ) {
        let values = topology_values();
        let topology = file(&values, &["topology", "shards.count", "shards.key"], &topology);
        let world = World::new(&topology)
            .with("consumers/ledger/consumer.yaml", &file(&consumer_values(), &[], &consumer))
            .env("NAME", "orders")
            .env("PASSWORD", "p$w{")
            .env("EMPTY", "")
            .env("DIRECT", "direct")
            .env("FOUR", "4");
        prop_assert_eq!(difference(world), Ok(()));
    }
}

#[test]
fn the_schema_knows_every_key_and_no_other() {
    fn paths(schema: &Value, prefix: &str, out: &mut Vec<String>) {
        let schema = schema["anyOf"]
            .as_array()
            .and_then(|forms| forms.iter().find(|f| f["type"] == "object"))
            .unwrap_or(schema);
        if let Some(properties) = schema["properties"].as_object() {
            assert_eq!(schema["additionalProperties"], json!(false), "{prefix}");
            for (name, below) in properties {
                let before = out.len();
                paths(below, &format!("{prefix}{name}."), out);
                if out.len() == before || below["additionalProperties"].is_object() {
                    out.push(format!("{prefix}{name}"));
                }
                assert!(below["description"].is_string(), "{prefix}{name}");
            }
        } else if schema["additionalProperties"].is_object() {
            paths(&schema["additionalProperties"], &format!("{prefix}NAME."), out);
        }
    }
    let (topology, consumer) = spec::keys();
    for (schema, mut known) in [(spec::topology_schema(), topology), (spec::consumer_schema(), consumer)] {
        let mut found = Vec::new();
        paths(&schema, "", &mut found);
        found.sort();
        known.sort();
        assert_eq!(found, known);
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
}
