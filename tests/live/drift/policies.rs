//! Which policy applies: computed here, and what the broker says once it has made up its mind.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value as Json;
use topo::{
    adapters::management::answers::policies,
    domain::{
        policy::{Author, Policy, Rules, Target},
        topology::QueueKind,
        version::BrokerVersion,
    },
};

use super::made;
use crate::{
    harness::{
        rabbitmq::{Vhost, encode},
        wait::wait_blocking,
    },
    ways::put_queue,
};

const NAMES: &[&str] = &["orders", "orders.dead", "Orders.7", "日本", "or/d ers\"", "invoices.2024", "x]y"];

/// Pattern, what it applies to, priority, definition.
const POLICIES: &[(&str, &str, i64, &str)] = &[
    ("^orders$", "all", 1, r#""max-length":1"#),
    ("ORDERS", "all", 90, r#""max-length":2"#),
    ("(?i)^ORDERS\\.\\d$", "queues", 2, r#""max-length":3"#),
    ("^.{6}$", "queues", 3, r#""max-length":4"#),
    ("^(?!orders)\\w+\\.\\d{4}$", "queues", 4, r#""max-length":5"#),
    ("[]\"]", "queues", 5, r#""max-length":6"#),
    ("(?<=orders).dead", "queues", 6, r#""max-length":7"#),
    // One key that quorum queues do not know, and one that classic queues do not.
    ("dead", "queues", 7, r#""max-length":8,"queue-mode":"lazy""#),
    ("dead", "queues", 8, r#""max-length":9,"delivery-limit":20"#),
    ("^invoices", "exchanges", 99, r#""alternate-exchange":"amq.fanout""#),
    ("", "queues", -5, r#""max-length":10"#),
];

const OPERATORS: &[(&str, &str, i64, &str)] = &[
    ("dead$", "queues", 1, r#""message-ttl":86400000"#),
    ("o", "queues", 0, r#""max-length":100"#),
    ("s\\.[0-9]", "queues", 9, r#""delivery-limit":1000"#),
];

const BY_TYPE: &[(&str, &str, i64, &str)] = &[
    ("^Orders", "quorum_queues", 50, r#""max-length":11"#),
    ("^Orders", "classic_queues", 51, r#""max-length":12"#),
];

fn put(vhost: &Vhost<'_>, kind: &str, table: &[(&str, &str, i64, &str)], prefix: &str) {
    for (number, (pattern, apply_to, priority, definition)) in table.iter().enumerate() {
        let pattern = serde_json::to_string(pattern).expect("a text");
        let body = format!(
            r#"{{"pattern":{pattern},"apply-to":"{apply_to}","priority":{priority},"definition":{{{definition}}}}}"#
        );
        made(vhost, "PUT", kind, &format!("/{prefix}{number}"), &body);
    }
}

fn list(vhost: &Vhost<'_>, kind: &str, author: Author) -> Vec<Policy> {
    policies(&vhost.management("GET", kind, "", "").1, author).expect("a list of policies")
}

/// Name to names of user policy and operator policy, as the broker tells after its statistics interval.
fn told(vhost: &Vhost<'_>, kind: &str) -> BTreeMap<String, [Option<String>; 2]> {
    let listed: Vec<Json> = serde_json::from_str(&vhost.management("GET", kind, "", "").1).expect("a list");
    let text = |object: &Json, field: &str| {
        object[field].as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let row = |object: &Json| {
        (
            text(object, "name").unwrap_or_default(),
            ["policy", "operator_policy"].map(|field| text(object, field)),
        )
    };
    listed.iter().map(row).filter(|(name, _)| NAMES.contains(&name.as_str())).collect()
}

#[test]
fn the_policies_that_apply_are_those_that_the_broker_applies() {
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let vhost = Vhost::fresh("policies /%");
        let (major, minor) = vhost.broker().version();
        put(&vhost, "policies", POLICIES, "p");
        put(&vhost, "operator-policies", OPERATORS, "o");
        if (major, minor) >= (3, 12) {
            put(&vhost, "policies", BY_TYPE, "t");
        }
        let mut all = list(&vhost, "policies", Author::User);
        all.extend(list(&vhost, "operator-policies", Author::Operator));
        let number = |number: u32| u16::try_from(number).expect("a version");
        let rules = Rules::of(&all, Some(BrokerVersion::new(number(major), number(minor), 0)));
        let computed = |target: Target<'_>| {
            [Author::User, Author::Operator].map(|author| {
                let found = rules.applying(author, target);
                assert!(found.len() < 2 && found.iter().all(|found| found.doubt.is_none()), "{found:?}");
                found.first().map(|found| found.policy.name.clone())
            })
        };
        let mut queues = BTreeMap::new();
        let mut exchanges = BTreeMap::new();
        for name in NAMES {
            let body = format!(r#"{{"durable":true,"arguments":{{"x-queue-type":"{}"}}}}"#, kind.as_str());
            put_queue(&vhost, name, &body);
            let exchange = r#"{"type":"direct","durable":true}"#;
            made(&vhost, "PUT", "exchanges", &format!("/{}", encode(name)), exchange);
            queues.insert((*name).to_owned(), computed(Target::Queue(name, kind)));
            // An operator's policy has no key that means something to an exchange, and is not told of one.
            let [user, _] = computed(Target::Exchange(name));
            exchanges.insert((*name).to_owned(), [user, None]);
        }
        assert!(queues.values().flatten().filter(|policy| policy.is_some()).count() > NAMES.len());
        for (what, computed) in [("queues", queues), ("exchanges", exchanges)] {
            let mut seen = BTreeMap::new();
            let same = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                wait_blocking("the broker to tell its policies", Duration::from_secs(60), || {
                    seen = told(&vhost, what);
                    (seen == computed).then_some(())
                });
            }));
            assert!(same.is_ok(), "{kind:?} {what}: told {seen:?}\ncomputed {computed:?}");
        }
    }
}
