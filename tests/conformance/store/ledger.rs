//! The shipped example, consumers/ledger: one text that means the same on every engine.

use serde_json::Value;
use topo::{
    domain::message::Message,
    ports::store::{Claim, StoreKind},
};

use super::{SqlFixture, Worker, file, message_with, shard};

const SCHEMA: &str = include_str!("../../../consumers/ledger/schema.sql");
const HANDLER: &str = include_str!("../../../consumers/ledger/handler.sql");
const TWO_ORDERS: &str = include_str!("../../../consumers/ledger/cases/01_two_orders.jsonl");
const WRONG_ORDER: &str = include_str!("../../../consumers/ledger/cases/02_wrong_order_is_seen.jsonl");

const ORDERS: &str = "SELECT order_id || ' ' || customer_id || ' ' || CAST(amount_cents AS text) || ' ' \
                      || currency || ' ' || status || ' ' || message_id || ' ' || updated_at FROM orders ORDER BY 1";
const CHANGES: &str = "SELECT order_id || ' ' || CAST(sequence AS text) || ' ' || status || ' ' \
                       || COALESCE(follows, '-') FROM order_status_changes ORDER BY order_id, sequence";
const VIOLATIONS: &str = "SELECT CAST(sequence AS text) || ' ' || event_type || ' ' || expected || ' ' || found \
                          FROM order_violations ORDER BY sequence";

/// An event of the envelope in topology.yaml.
fn event(line: &str) -> Message {
    let body: Value = serde_json::from_str(line).expect("JSON");
    let text = |name: &str| body[name].as_str().expect("a string");
    let mut message = message_with(text("messageId"), text("aggregateId"), line);
    message.event_type = Some(text("eventType").to_owned());
    message
}

fn events(lines: &str) -> Vec<Message> {
    lines.lines().map(event).collect()
}

async fn ledger(f: &impl SqlFixture) -> Worker {
    let store = f.store();
    store.migrate().await.expect("tables");
    for _ in 0..2 {
        store.run_schema("ledger", &file("consumers/ledger/schema.sql", SCHEMA)).await.expect("its tables");
    }
    let handler = file("consumers/ledger/handler.sql", HANDLER);
    let mut session = store.session(&handler).await.expect("a session");
    let shard = shard(0);
    let epoch = session.acquire(&shard, "me").await.expect("an epoch");
    Worker { session, shard, epoch }
}

async fn rows(f: &impl SqlFixture, query: &str) -> Vec<String> {
    f.query(query).await.into_iter().map(Option::unwrap_or_default).collect()
}

pub(crate) async fn the_shipped_ledger_keeps_orders_and_every_change(f: impl SqlFixture) {
    let mut worker = ledger(&f).await;
    let claims = worker.run(&events(TWO_ORDERS)).await;
    assert_eq!(claims.iter().filter(|claim| **claim == Claim::Duplicate).count(), 1);
    assert_eq!(
        rows(&f, ORDERS).await,
        [
            "1001 customer-1 19900 CNY shipped 01HZY0000000000000000000A1 2026-03-01T09:03:00Z",
            "1002 customer-2 1999 EUR cancelled 01HZY0000000000000000000B1 2026-03-01T09:04:00Z",
        ]
    );
    assert_eq!(
        rows(&f, CHANGES).await,
        [
            "1001 1 created -",
            "1001 2 paid created",
            "1001 3 shipped paid",
            "1002 1 created -",
            "1002 2 cancelled created"
        ]
    );
    assert!(rows(&f, VIOLATIONS).await.is_empty());
}

pub(crate) async fn the_shipped_ledger_shows_a_change_out_of_order(f: impl SqlFixture) {
    let mut worker = ledger(&f).await;
    worker.run(&events(WRONG_ORDER)).await;
    assert_eq!(rows(&f, VIOLATIONS).await, ["2 order.shipped paid created", "3 order.paid created shipped"]);
}

pub(crate) async fn the_shipped_ledger_is_harmless_without_the_claim(f: impl SqlFixture) {
    let mut worker = ledger(&f).await;
    let messages = events(TWO_ORDERS);
    worker.run(&messages).await;
    let before = (rows(&f, ORDERS).await, rows(&f, CHANGES).await);
    worker.claim(&[]).await;
    let all: Vec<&Message> = messages.iter().collect();
    worker.session.apply(&all).await.map_err(|e| e.error).expect("effects");
    worker.session.commit().await.expect("a commit");
    assert_eq!((rows(&f, ORDERS).await, rows(&f, CHANGES).await), before);
}

pub(crate) async fn the_shipped_ledger_refuses_what_it_can_not_record(f: impl SqlFixture) {
    let mut worker = ledger(&f).await;
    let no_amount = r#"{"messageId":"p1","eventType":"order.created","occurredAt":"2026-03-01T09:00:00Z","aggregateId":"1","payload":{"orderId":"1","currency":"EUR"}}"#;
    let foreign = r#"{"messageId":"p2","eventType":"payment.done","occurredAt":"2026-03-01T09:00:00Z","aggregateId":"1","payload":{}}"#;
    for line in [no_amount, foreign] {
        let poison = event(line);
        worker.claim(std::slice::from_ref(&poison)).await;
        let failure = worker.session.apply(&[&poison]).await.expect_err("a constraint");
        assert_eq!(failure.error.kind, StoreKind::Failed, "{}", failure.error);
        worker.session.rollback().await.expect("a rollback");
    }
    assert!(rows(&f, CHANGES).await.is_empty());
}
