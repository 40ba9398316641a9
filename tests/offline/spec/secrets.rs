//! A password never reaches anything that can be printed, wherever in the files it stands.

use topo::domain::secret::{Secret, mask};

use super::world::World;

const PASSWORD: &str = "hunter2-from-the-vault";

/// Every text that loading can give to a screen, a log or a panic.
fn everything(world: &World) -> String {
    let loaded = world.load();
    let mut out = format!("{loaded:?}\n{:?}\n{}", loaded.topology, loaded.expanded());
    for (path, text) in loaded.expanded_consumers() {
        out.push_str(&format!("{}\n{text}", path.display()));
    }
    for problem in loaded.problems.iter().chain(&loaded.warnings) {
        out.push_str(&format!("{problem}\n{problem:#}\n{problem:?}\n"));
    }
    if let Some(topology) = &loaded.topology {
        out.push_str(&format!("{} {}", topology.broker.url, topology.store.url.masked()));
        for consumer in topology.consumers.values() {
            out.push_str(&format!("{consumer:?} {:?}", topology.store_of(consumer)));
        }
    }
    out
}

#[test]
fn a_password_in_a_good_file_stays_hidden() {
    let urls = [
        format!("amqp://user:{PASSWORD}@host"),
        "amqp://user:${PASSWORD}@host".to_owned(),
        "${WHOLE}".to_owned(),
        format!("${{NOPE:-amqp://user:{PASSWORD}@host}}"),
        format!("amqp://user:${{NOPE:-{PASSWORD}}}@host"),
        "amqp://user:${file:password.txt}@host".to_owned(),
        format!("amqp://user:{PASSWORD}%2f@host/%2f?heartbeat=10"),
    ];
    for url in urls {
        let world = World::new(&format!(
            "topology: orders\nshards: 8\nkey: /orderId\nbroker: {{url: {url:?}}}\n\
             store: 'postgres://u:{PASSWORD}@db/orders?password={PASSWORD}'\nconsumers: {{ledger: {{store: {{url: '${{STORE}}'}}}}}}\n"
        ))
        .with("password.txt", &format!("{PASSWORD}\n"))
        .with("consumers/ledger/consumer.yaml", "handler: {exec: [run, '${PASSWORD}', '--db=x://a:${PASSWORD}@b']}\n")
        .env("PASSWORD", PASSWORD)
        .env("STORE", &format!("postgres://u:{PASSWORD}@db/orders"))
        .env("WHOLE", &format!("amqp://user:{PASSWORD}@host"));
        let loaded = world.load();
        let topology = loaded.topology.as_ref().expect("a good file");
        assert!(topology.broker.url.expose().contains(PASSWORD), "{url}");
        let printed = everything(&world);
        assert!(!printed.contains(PASSWORD), "{url} is printed in\n{printed}");
    }
}

#[test]
fn a_password_in_a_broken_file_stays_hidden() {
    let secret = format!("user:{PASSWORD}@host");
    let texts = [
        // The syntax is broken beside it.
        format!("topology: orders\nbroker: {{url: 'amqp://{secret}'}}\nshards: {{count: 8\n"),
        format!("broker: {{url: 'amqp://{secret}'\nkey: /a\n"),
        format!("topology: &a amqp://{secret}\nshards: *b\n"),
        format!("broker: !url amqp://{secret}\n"),
        format!("broker: {{url: amqp://{secret}}}\n---\nx: 1\n"),
        // It stands where something else is asked for.
        format!("topology: orders\nshards: 'amqp://{secret}'\nkey: amqp://{secret}\n"),
        format!("exchange: {{type: 'amqp://{secret}'}}\nqueues: {{type: 'amqp://{secret}', name: 'amqp://{secret}'}}\n"),
        format!("publish: {{order: 'amqp://{secret}', in_flight: 'amqp://{secret}', max_body: 'amqp://{secret}'}}\n"),
        format!("broker: 'http://{secret}'\nstore: 'mysql://{secret}'\n"),
        format!("broker: ['amqp://{secret}']\nstore: {{url: {{a: 'amqp://{secret}'}}}}\n"),
        format!("broker: 'amqp://{secret}:99999/a/b?x=1'\n"),
        // From the environment.
        "topology: orders\nshards: ${PASSWORD}\nkey: ${PASSWORD}\nbroker: ${PASSWORD}\nstore: ${PASSWORD}\n".to_owned(),
        "exchange: {type: '${PASSWORD}'}\nqueues: {name: '{${PASSWORD}}', type: '${PASSWORD}'}\n".to_owned(),
        "publish: {in_flight: '${PASSWORD}', max_body: '${PASSWORD}', confirm_timeout: '${PASSWORD}'}\n".to_owned(),
        "message: {id: '${PASSWORD}'}\nbroker: 'amqp://u:${PASSWORD}@h/a/b'\nshards: {routing_key: '${PASSWORD}'}\n".to_owned(),
        "store: '${file:${PASSWORD}}'\n".to_owned(),
    ];
    for text in texts {
        let world = World::new(&text).env("PASSWORD", PASSWORD);
        assert!(!world.load().problems.is_empty(), "{text}");
        let printed = everything(&world);
        assert!(!printed.contains(PASSWORD), "{text} is printed in\n{printed}");
    }
}

#[test]
fn masking_keeps_what_is_no_secret() {
    let table = [
        ("amqp://guest:guest@127.0.0.1:5672/%2f", "amqp://guest:guest@127.0.0.1:5672/%2f"),
        ("amqp://u:p@h", "amqp://u:***@h"),
        ("amqp://u@h", "amqp://u@h"),
        ("amqp://h:5672/v", "amqp://h:5672/v"),
        ("amqp://u:${PASSWORD}@h", "amqp://u:${PASSWORD}@h"),
        ("amqp://${USER:-u}:${file:/run/p}@h", "amqp://${USER:-u}:${file:/run/p}@h"),
        ("amqp://${USER:-u:p}@h", "amqp://***@h"),
        ("amqp://u:${PASSWORD:-p}@h", "amqp://u:***@h"),
        ("amqp://u:p/w?x#y@z@h/v", "amqp://u:***@h/v"),
        ("two: amqp://u:p@h and \"x://a:b@c\"", "two: amqp://u:***@h and \"x://a:***@c\""),
        ("postgres://h/db?user=u&password=p&x=1", "postgres://h/db?user=u&password=***&x=1"),
        ("host=h password=${P} user=u", "host=h password=${P} user=u"),
    ];
    for (text, expected) in table {
        assert_eq!(mask(text), expected);
    }
    let odd = "amqp://u:p w\"x@h";
    assert_eq!(Secret::new(odd, odd).shown(), "amqp://u:***@h");
    assert_eq!(Secret::new(odd, odd).masked(), "amqp://u:***@h");
}
