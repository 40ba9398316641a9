//! What others may put beside the topology.

use super::{
    SHARD, bind, delete, set_policy,
    table::{Drift, Mended, run},
};
use crate::{harness::rabbitmq::broker, ways::put_queue};

const FOREIGN: &[Drift] = &[
    Drift {
        what: "a queue taps the exchange",
        make: |vhost| {
            put_queue(vhost, "tap", r#"{"durable":true}"#);
            bind(vhost, "orders", "q", "tap", "orders.g1.0of3", "");
        },
        expected: &["foreign binding orders -> tap (orders.g1.0of3) TOPO0220"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "queues", "tap")),
    },
    Drift {
        what: "an exchange taps the exchange",
        make: |vhost| bind(vhost, "orders", "e", "amq.fanout", "orders.g1.0of3", ""),
        expected: &["foreign binding orders -> exchange amq.fanout (orders.g1.0of3) TOPO0220"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "bindings", "e/orders/e/amq.fanout/orders.g1.0of3")),
    },
    Drift {
        what: "an exchange feeds the exchange",
        make: |vhost| bind(vhost, "amq.topic", "e", "orders", "a.b", ""),
        expected: &["foreign binding amq.topic -> exchange orders (a.b) TOPO0206"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "bindings", "e/amq.topic/e/orders/a.b")),
    },
    Drift {
        what: "another exchange feeds a shard queue and the dead-letter queue",
        make: |vhost| {
            bind(vhost, "amq.topic", "q", SHARD, "a.b", "");
            bind(vhost, "amq.topic", "q", "orders.ledger.dead", "a.b", "");
        },
        expected: &[
            "foreign binding amq.topic -> orders.ledger.dead (a.b) TOPO0206",
            "foreign binding amq.topic -> orders.ledger.g1.0 (a.b) TOPO0206",
        ],
        mended: Mended::ByOthers(|vhost| {
            delete(vhost, "bindings", "e/amq.topic/q/orders.ledger.g1.0/a.b");
            delete(vhost, "bindings", "e/amq.topic/q/orders.ledger.dead/a.b");
        }),
    },
    Drift {
        what: "a queue of another generation is left",
        make: |vhost| {
            put_queue(
                vhost,
                "orders.ledger.g7.0",
                r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#,
            )
        },
        expected: &["foreign queue orders.ledger.g7.0 TOPO0218"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "queues", "orders.ledger.g7.0")),
    },
    Drift {
        what: "a removed consumer's queue still takes messages",
        make: |vhost| {
            put_queue(
                vhost,
                "orders.audit.g1.0",
                r#"{"durable":true,"arguments":{"x-queue-type":"quorum"}}"#,
            );
            bind(vhost, "orders", "q", "orders.audit.g1.0", "orders.g1.0of3", "");
        },
        expected: &["foreign queue orders.audit.g1.0 TOPO0218"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "queues", "orders.audit.g1.0")),
    },
    Drift {
        what: "a policy adds an alternate exchange",
        make: |vhost| {
            set_policy(vhost, "policies", "p", "^ord", "exchanges", r#""alternate-exchange":"amq.fanout""#)
        },
        expected: &["foreign policy policy p on exchange orders TOPO0211"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "policies", "p")),
    },
    Drift {
        what: "an operator expires messages",
        make: |vhost| {
            set_policy(vhost, "operator-policies", "ttl all", ".*", "queues", r#""message-ttl":60000"#)
        },
        expected: &["foreign policy operator policy ttl all on 4 queues (orders.ledger.dead first) TOPO0213"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "operator-policies", "ttl%20all")),
    },
    Drift {
        what: "a policy deletes unused queues",
        make: |vhost| set_policy(vhost, "policies", "p", "g1\\.0$", "queues", r#""expires":60000000"#),
        expected: &["foreign policy policy p on queue orders.ledger.g1.0 TOPO0213"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "policies", "p")),
    },
    Drift {
        what: "a policy makes full queues drop",
        make: |vhost| {
            set_policy(vhost, "policies", "p", "ledger.g", "all", r#""max-length":5,"overflow":"drop-head""#);
        },
        expected: &["foreign policy policy p on 3 queues (orders.ledger.g1.0 first) TOPO0212"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "policies", "p")),
    },
    Drift {
        what: "an operator limits the length",
        make: |vhost| {
            set_policy(vhost, "operator-policies", "p", "ledger.g", "queues", r#""max-length":500000"#)
        },
        expected: &["foreign policy operator policy p on 3 queues (orders.ledger.g1.0 first) TOPO0215"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "operator-policies", "p")),
    },
    Drift {
        what: "a policy lowers the delivery limit",
        make: |vhost| set_policy(vhost, "policies", "p", "ledger.g", "queues", r#""delivery-limit":20"#),
        expected: &["foreign policy policy p on 3 queues (orders.ledger.g1.0 first) TOPO0215"],
        mended: Mended::ByOthers(|vhost| delete(vhost, "policies", "p")),
    },
];

/// Only 4.3 knows it.
const DELAYED: Drift = Drift {
    what: "a policy sets returned messages aside",
    make: |vhost| {
        set_policy(
            vhost,
            "policies",
            "p",
            "ledger.g",
            "queues",
            r#""delayed-retry-type":"all","delayed-retry-min":1000"#,
        )
    },
    expected: &["foreign policy policy p on 3 queues (orders.ledger.g1.0 first) TOPO0214"],
    mended: Mended::ByOthers(|vhost| delete(vhost, "policies", "p")),
};

#[tokio::test]
async fn what_others_put_beside_them_is_named_and_left_alone() {
    let delayed = broker().version() >= (4, 3);
    run("drift /%2f \"'日", FOREIGN.iter().chain(delayed.then_some(&DELAYED))).await;
}
