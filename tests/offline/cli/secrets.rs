//! A planted password is in no output, whatever fails.

use super::run::Place;

const PASSWORD: &str = "pl4nted-s3cret";

#[test]
fn a_password_never_appears() {
    let broker = format!("amqp://app:{PASSWORD}@127.0.0.1:1/%2f");
    let store = format!("postgres://app:{PASSWORD}@127.0.0.1:1/shop");
    let place = Place::example()
        .env("TOPO_BROKER_URL", &broker)
        .env("TOPO_MANAGEMENT_URL", &format!("http://app:{PASSWORD}@127.0.0.1:1"))
        .env("TOPO_STORE_URL", &store)
        .env("RUST_BACKTRACE", "full");
    let literal = Place::example();
    let text = format!(
        "{}\nbroker: {{url: \"{broker}\"}}\nstore: {{url: \"{store}\"}}\n",
        literal.read("topology.yaml")
    );
    literal.write("topology.yaml", &text);
    let broken = Place::with(&format!(
        "topology: orders\nshards: 8\nkey: /orderId\nbroker: {{ulr: \"{broker}\", url: \"amqq://x:{PASSWORD}@h/\"}}\n"
    ));
    broken.write("orders.jsonl", "{}\n");
    let commands: &[&[&str]] = &[
        &["check"],
        &["check", "-o", "json"],
        &["check", "--expanded"],
        &["plan", "-vv"],
        &["plan", "-vv", "--log-format", "json", "-o", "json"],
        &["apply", "--yes", "-vv"],
        &["status", "-vv"],
        &["publish", "orders.jsonl", "-vv"],
        &["consume", "--all", "--until-empty", "-vv", "--timeout", "1s"],
        &["route", "1001"],
        &["schema"],
    ];
    for (name, place) in [("variables", &place), ("literal", &literal), ("broken", &broken)] {
        for command in commands {
            let ran = place.topo(command);
            assert!(!ran.all().contains(PASSWORD), "{name}: topo {command:?} prints the password: {ran:#?}");
        }
    }
}

#[test]
fn a_broker_that_is_not_there_ends_with_4_and_is_named() {
    let place = Place::example()
        .env("TOPO_BROKER_URL", &format!("amqp://app:{PASSWORD}@127.0.0.1:1/%2f"))
        .env("TOPO_MANAGEMENT_URL", "http://127.0.0.1:1");
    for command in [&["plan"][..], &["apply", "--yes"], &["status"], &["publish", "orders.jsonl"]] {
        let ran = place.topo(command);
        assert_eq!(ran.code, 4, "topo {command:?}: {ran:#?}");
        assert_eq!(ran.stdout, "", "topo {command:?}");
        for word in ["error[TOPO0601]:", "127.0.0.1:1", "caused by:", "safe to run again: yes", "help:"] {
            assert!(ran.stderr.contains(word), "topo {command:?} does not say {word:?}: {}", ran.stderr);
        }
    }
}
