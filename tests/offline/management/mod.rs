//! Answers of the management API: recorded ones of 3.10.8, and what other versions write differently.

mod look;
mod policies;

use topo::{
    adapters::management::{
        answers::{active_tags, bindings, exchanges, queues, stats, version},
        target::Target,
    },
    domain::{
        observed::{QueueStats, Value},
        secret::Secret,
    },
};

#[test]
fn the_version_is_read_with_its_product() {
    assert_eq!(version(include_str!("3.10-overview.json")).unwrap().as_deref(), Some("RabbitMQ 3.10.8"));
    // A user with the management tag alone, on a broker that tells little.
    assert_eq!(version(r#"{"rabbitmq_version":"4.0.5"}"#).unwrap().as_deref(), Some("RabbitMQ 4.0.5"));
    assert_eq!(version("{}").unwrap(), None);
    assert!(version("<html>").is_err());
}

#[test]
fn exchanges_keep_their_properties_and_arguments() {
    let recorded = [
        include_str!("3.10-exchanges.json"),
        include_str!("4.0-exchanges.json"),
        include_str!("4.3-exchanges.json"),
    ];
    for body in recorded {
        let found = exchanges(body).unwrap();
        let details = &found["orders"];
        assert_eq!((details.kind.as_str(), details.durable, details.auto_delete), ("direct", true, false));
        assert_eq!(found["amq.topic"].kind, "topic");
    }
    let one = format!("[{}]", include_str!("3.10-exchange.json"));
    let lost = Value::Text("lost".to_owned());
    assert_eq!(exchanges(&one).unwrap()["orders"].arguments.get("alternate-exchange"), Some(&lost));
}

#[test]
fn queues_are_read_with_typed_arguments() {
    let found = queues(include_str!("3.10-queues.json")).unwrap();
    assert_eq!(found.keys().collect::<Vec<_>>(), ["odd", "orders.ledger.g1.0", "plain"]);
    let quorum = &found["orders.ledger.g1.0"];
    assert_eq!((quorum.kind.as_str(), quorum.durable), ("quorum", true));
    assert_eq!(quorum.arguments["x-delivery-limit"], Value::Integer(1000));
    assert_eq!(quorum.arguments["x-single-active-consumer"], Value::Bool(true));
    assert_eq!(quorum.arguments["x-dead-letter-exchange"], Value::Text(String::new()));
    let odd = &found["odd"];
    assert_eq!((odd.kind.as_str(), odd.durable, odd.auto_delete), ("classic", false, true));
    assert_eq!(odd.arguments["x-foo"], Value::Other(r#"[1,"a"]"#.to_owned()));
    assert_eq!(odd.arguments["x-bar"], Value::Other("1.5".to_owned()));
    assert!(found["plain"].arguments.is_empty());
}

#[test]
fn one_odd_field_does_not_spoil_the_list() {
    // A down queue without its type, arguments as an empty list, a type named by its module, unknown fields.
    let body = r#"[
        {"name":"down","state":"down","arguments":[]},
        {"name":"q","type":"rabbit_quorum_queue","durable":null,"arguments":null,"new_field":{"a":[1]}},
        {"name":"given","arguments":{"x-queue-type":"stream"}}
    ]"#;
    let found = queues(body).unwrap();
    let kinds: Vec<_> = found.values().map(|queue| queue.kind.as_str()).collect();
    assert_eq!(kinds, ["classic", "stream", "quorum"]);
}

#[test]
fn counts_that_are_missing_null_or_odd_are_unknown() {
    let counts = |ready, unacked| QueueStats { ready, unacked, consumers: 0, active_tag: None };
    let young = stats(include_str!("3.10-stats_young.json")).unwrap();
    assert_eq!(young.values().collect::<Vec<_>>(), [&counts(0, None); 3]);
    let later = stats(include_str!("3.10-stats.json")).unwrap();
    assert_eq!((&later["plain"], &later["orders.ledger.g1.0"]), (&counts(1, Some(0)), &counts(0, None)));
    let odd = r#"[{"name":"q","messages_ready":-1,"messages_unacknowledged":"undefined","consumers":null,"single_active_consumer_tag":"none"}]"#;
    assert_eq!(
        stats(odd).unwrap()["q"],
        QueueStats { active_tag: Some("none".to_owned()), ..counts(0, None) }
    );
}

#[test]
fn bindings_leave_out_the_default_exchange_and_keep_what_matters() {
    let found = bindings(include_str!("3.10-bindings.json")).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|b| (&*b.source, &*b.destination, b.to_queue, &*b.routing_key, b.has_arguments))
        .collect();
    let expected = [
        ("orders", "copy", false, "k", false),
        ("orders", "orders.ledger.g1.0", true, "orders.g1.0of1", false),
        ("orders", "plain", true, "k", true),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_active_consumer_of_a_queue_is_the_one_called_single_active() {
    let body = r#"[
        {"queue":{"name":"q","vhost":"/"},"consumer_tag":"standby","active":true,"activity_status":"waiting"},
        {"queue":{"name":"q","vhost":"/"},"consumer_tag":"first","active":true,"activity_status":"single_active"},
        {"queue":[],"consumer_tag":"lost","activity_status":"single_active"}
    ]"#;
    let tags = active_tags(body).unwrap();
    assert_eq!(tags.into_iter().collect::<Vec<_>>(), [("q".to_owned(), "first".to_owned())]);
}

#[test]
fn what_the_management_url_leaves_out_comes_from_the_broker_url() {
    let secret = |url: &str| Secret::new(url, url);
    let target = |amqp: &str, management: Option<&str>| {
        let target = Target::new(&secret(amqp), management.map(secret).as_ref()).unwrap();
        (target.url(&["queues", target.vhost()]), target.user().to_owned())
    };
    let cases = [
        ("amqp://host", None, "http://host:15672/api/queues/%2F", "guest"),
        ("amqp://host/", None, "http://host:15672/api/queues/", "guest"),
        ("amqps://u%40x:p@host:5671/%2fa%20b", None, "https://host:15671/api/queues/%2Fa%20b", "u@x"),
        ("amqp://u:p@[::1]:5672/v", None, "http://[::1]:15672/api/queues/v", "u"),
        ("amqp://u:p@host/v", Some("http://other:8080"), "http://other:8080/api/queues/v", "u"),
        ("amqp://u:p@host/v", Some("https://m:q@other/rabbit/"), "https://other/rabbit/api/queues/v", "m"),
        ("amqp://u:p@host/%25%C3%BC%22", None, "http://host:15672/api/queues/%25%C3%BC%22", "u"),
    ];
    for (amqp, management, url, user) in cases {
        assert_eq!(target(amqp, management), (url.to_owned(), user.to_owned()), "{amqp} {management:?}");
    }
}

#[test]
fn a_url_that_cannot_be_used_is_refused_without_its_password() {
    for (amqp, management) in [
        ("http://u:Hunter2@host", None),
        ("amqp://host", Some("amqp://u:Hunter2@host")),
        ("u:Hunter2@host", None),
    ] {
        let secret = |url: &str| Secret::new(url, url);
        let error = Target::new(&secret(amqp), management.map(secret).as_ref()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("Hunter2"), "{error:?}");
    }
    let target = Target::new(&Secret::new("amqp://u:Hunter2@host", "x"), None).unwrap();
    assert!(!format!("{target:?}").contains("Hunter2"));
}
