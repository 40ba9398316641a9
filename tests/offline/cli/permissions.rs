//! `topo permissions`: exact patterns, safe quoting, nothing secret, nothing contacted.

use topo::domain::{
    permissions::{Access, Role},
    topology::{ExchangeKind, QueueKind},
};

use super::run::Place;
use crate::support::{consumer, name, topology};

const SHARDS: &str = r"orders\.ledger\.g[0-9]+\.[0-9]+";

#[test]
fn each_role_gets_exactly_the_topology_s_names() {
    let topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    let sets = |role| {
        let access = Access::of(&topology, &[role]);
        assert_eq!(access.topic, None);
        [access.configure.regex(), access.write.regex(), access.read.regex()]
    };
    let nothing = || "^$".to_owned();
    let exchange = || "^orders$".to_owned();
    assert_eq!(
        sets(Role::Declarator),
        [
            format!(r"^(orders|orders\.ledger\.dead|{SHARDS})$"),
            format!(r"^(amq\.default|orders|{SHARDS})$"),
            format!("^(orders|{SHARDS})$"),
        ]
    );
    assert_eq!(sets(Role::Producer), [nothing(), exchange(), nothing()]);
    assert_eq!(sets(Role::Consumer), [nothing(), nothing(), format!("^{SHARDS}$")]);
    assert_eq!(sets(Role::Observer), [nothing(), nothing(), nothing()]);
}

#[test]
fn several_consumers_and_roles_are_alternatives_of_one_pattern() {
    let mut topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    topology.consumers.insert(name("audit"), consumer("audit"));
    let access = Access::of(&topology, &[Role::Producer, Role::Consumer]);
    assert_eq!(access.write.regex(), "^orders$");
    assert_eq!(access.read.regex(), format!(r"^(orders\.audit\.g[0-9]+\.[0-9]+|{SHARDS})$"));
    topology.consumers.clear();
    assert_eq!(Access::of(&topology, &[Role::Consumer]).read.regex(), "^$");
}

#[test]
fn a_topic_exchange_limits_routing_keys_too() {
    let mut topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    topology.exchange.kind = ExchangeKind::Topic;
    let keys = r"^orders\.g[0-9]+\.[0-9]+of[0-9]+$";
    for (role, write, read) in [
        (Role::Declarator, keys, keys),
        (Role::Producer, keys, "^$"),
        (Role::Consumer, "^$", "^$"),
        (Role::Observer, "^$", "^$"),
    ] {
        let topic = Access::of(&topology, &[role]).topic.expect("a topic exchange");
        assert_eq!((topic.write.regex().as_str(), topic.read.regex().as_str()), (write, read), "{role}");
    }
}

#[test]
fn names_are_taken_literally() {
    let mut topology = topology("amqp://localhost", 3, QueueKind::Quorum);
    topology.exchange.name = name(r"a.b*c+d?e(f)[g]{h}|i^j$k\l#m ü日'\'-_/");
    let access = Access::of(&topology, &[Role::Producer]);
    let escaped = r"^a\.b\*c\+d\?e\(f\)\[g\]\{h\}\|i\^j\$k\\l\#m ü日'\\'-_/$";
    assert_eq!(access.write.regex(), escaped);
}

#[test]
fn the_printed_script_is_as_reviewed() {
    let place = Place::example().env("TOPO_STORE_URL", "postgres://topo:hunter2@db.example/shop");
    let place = place.env("TOPO_BROKER_URL", "amqp://app:hunter2@broker.example/it's%20a%20%2F%25");
    let ran = place.topo(&["permissions"]);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert!(!ran.all().contains("hunter2"));
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn the_script_is_one_that_a_shell_reads() {
    let place = Place::with("topology: \"it's 100% $HOME `id` \\\\ \\\"x\\\"\"\nshards: 2\nkey: /id\n");
    let script = place.topo(&["permissions"]).stdout;
    let shell = format!("rabbitmqctl() {{ printf '%s|' \"$@\"; echo; }}\n{script}");
    let output = std::process::Command::new("sh").arg("-ec").arg(shell).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("add_user|--|it's 100% $HOME `id` \\ \"x\"-producer|"), "{text}");
    assert!(text.contains("|^$|^it's 100% \\$HOME \\`id\\` \\\\ \"x\"$|^$|"), "{text}");
}

#[test]
fn json_has_roles_users_and_stores() {
    let place = Place::example();
    let whole = place.topo(&["permissions", "-o", "json"]).json();
    let roles: Vec<_> = whole["roles"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(roles, ["consumer", "declarator", "observer", "producer"]);
    assert_eq!(whole["roles"]["producer"]["write"], "^orders$");
    assert_eq!(whole["stores"], serde_json::json!([]), "SQLite has no users");
    let args = ["permissions", "-o", "json", "--user", "app", "--role", "consumer", "--role", "producer"];
    let one = place.topo(&args).json();
    assert_eq!(one["users"][0]["roles"], serde_json::json!(["producer", "consumer"]));
    assert_eq!(one["users"].as_array().map(Vec::len), Some(1));
}

#[test]
fn unknown_roles_and_unusable_names_are_refused() {
    let place = Place::example();
    for args in
        [["permissions", "--role", "admin"], ["permissions", "--user", ""], ["permissions", "--user", "a\nb"]]
    {
        let ran = place.topo(&args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:#?}");
    }
}
