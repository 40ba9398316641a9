//! What may become of the topology's own objects.

use super::{
    SHARD, bind, delete, made,
    table::{Drift, Mended, run},
};
use crate::{harness::rabbitmq::Vhost, ways::put_queue};

fn again(vhost: &Vhost<'_>, queue: &str, body: &str) {
    delete(vhost, "queues", queue);
    put_queue(vhost, queue, body);
}

const OBJECTS: &[Drift] = &[
    Drift {
        what: "a shard queue is deleted, its binding with it",
        make: |vhost| delete(vhost, "queues", SHARD),
        expected: &[
            "create queue orders.ledger.g1.0",
            "create binding orders -> orders.ledger.g1.0 (orders.g1.0of3)",
        ],
        mended: Mended::ByApply,
    },
    Drift {
        what: "the dead-letter queue is deleted",
        make: |vhost| delete(vhost, "queues", "orders.ledger.dead"),
        expected: &["create queue orders.ledger.dead"],
        mended: Mended::ByApply,
    },
    Drift {
        what: "the exchange is deleted, its bindings with it",
        make: |vhost| delete(vhost, "exchanges", "orders"),
        expected: &[
            "create exchange orders",
            "create binding orders -> orders.ledger.g1.0 (orders.g1.0of3)",
            "create binding orders -> orders.ledger.g1.1 (orders.g1.1of3)",
            "create binding orders -> orders.ledger.g1.2 (orders.g1.2of3)",
        ],
        mended: Mended::ByApply,
    },
    Drift {
        what: "a binding is removed",
        make: |vhost| delete(vhost, "bindings", "e/orders/q/orders.ledger.g1.1/orders.g1.1of3"),
        expected: &["create binding orders -> orders.ledger.g1.1 (orders.g1.1of3)"],
        mended: Mended::ByApply,
    },
    Drift {
        what: "a binding is made again with another key",
        make: |vhost| {
            delete(vhost, "bindings", "e/orders/q/orders.ledger.g1.1/orders.g1.1of3");
            bind(vhost, "orders", "q", "orders.ledger.g1.1", "orders.g1.0of3", "");
        },
        expected: &[
            "create binding orders -> orders.ledger.g1.1 (orders.g1.1of3)",
            "foreign binding orders -> orders.ledger.g1.1 (orders.g1.0of3) TOPO0206",
        ],
        mended: Mended::ByOthers(|vhost| {
            delete(vhost, "bindings", "e/orders/q/orders.ledger.g1.1/orders.g1.0of3");
        }),
    },
    Drift {
        what: "a queue is made again with another argument",
        make: |vhost| {
            again(
                vhost,
                SHARD,
                r#"{"durable":true,"arguments":{"x-queue-type":"quorum","x-message-ttl":60000}}"#,
            );
        },
        expected: &[
            "replace queue orders.ledger.g1.0 TOPO0202",
            "create binding orders -> orders.ledger.g1.0 (orders.g1.0of3)",
        ],
        mended: Mended::Anew("queues", SHARD),
    },
    Drift {
        what: "a queue is made again with the type that the vhost has by default",
        make: |vhost| again(vhost, SHARD, r#"{"durable":true}"#),
        expected: &[
            "replace queue orders.ledger.g1.0 TOPO0202",
            "create binding orders -> orders.ledger.g1.0 (orders.g1.0of3)",
        ],
        mended: Mended::Anew("queues", SHARD),
    },
    Drift {
        what: "a dead-letter queue is made again with a limit",
        make: |vhost| {
            let body = r#"{"durable":true,"arguments":{"x-queue-type":"quorum","x-max-length":5}}"#;
            again(vhost, "orders.ledger.dead", body);
        },
        expected: &["replace queue orders.ledger.dead TOPO0202"],
        mended: Mended::Anew("queues", "orders.ledger.dead"),
    },
    Drift {
        what: "the exchange is made again with another type",
        make: |vhost| {
            delete(vhost, "exchanges", "orders");
            made(vhost, "PUT", "exchanges", "/orders", r#"{"type":"fanout","durable":true}"#);
        },
        expected: &[
            "replace exchange orders TOPO0202",
            "create binding orders -> orders.ledger.g1.0 (orders.g1.0of3)",
            "create binding orders -> orders.ledger.g1.1 (orders.g1.1of3)",
            "create binding orders -> orders.ledger.g1.2 (orders.g1.2of3)",
        ],
        mended: Mended::Anew("exchanges", "orders"),
    },
    Drift {
        what: "the exchange is made again with an alternate exchange",
        make: |vhost| {
            delete(vhost, "exchanges", "orders");
            let body = r#"{"type":"direct","durable":true,"arguments":{"alternate-exchange":"amq.fanout"}}"#;
            made(vhost, "PUT", "exchanges", "/orders", body);
            for shard in 0..3 {
                bind(
                    vhost,
                    "orders",
                    "q",
                    &format!("orders.ledger.g1.{shard}"),
                    &format!("orders.g1.{shard}of3"),
                    "",
                );
            }
        },
        expected: &["replace exchange orders TOPO0202"],
        mended: Mended::Anew("exchanges", "orders"),
    },
];

#[tokio::test]
async fn what_became_of_our_objects_is_named_and_mended_or_refused() {
    run("drift objects", OBJECTS).await;
}
