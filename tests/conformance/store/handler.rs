//! Handlers written in SQL: what is bound, what is refused, whose fault it is.

use topo::{domain::envelope::HeaderValue, ports::store::StoreKind};

use super::{SqlFixture, Worker, file, message, message_with, shard};

/// A handler that keeps one expression per message in the table of effects.
fn keeping(expression: &str) -> topo::domain::consumer::SqlFile {
    let sql =
        format!("INSERT INTO effects (message_id, note) VALUES (:message_id, CAST({expression} AS text));");
    file("consumers/ledger/handler.sql", &sql)
}

/// What that handler keeps for one message.
async fn kept(
    f: &impl SqlFixture,
    expression: &str,
    message: topo::domain::message::Message,
) -> Option<String> {
    let mut worker = Worker::start_with(f, &keeping(expression), shard(0)).await;
    worker.run(&[message]).await;
    f.query("SELECT note FROM effects ORDER BY place DESC").await.swap_remove(0)
}

pub(crate) async fn json_fields_are_read_with_a_cast(f: impl SqlFixture) {
    let mut worker = Worker::start(&f, 0).await;
    worker.run(&[message("a"), message_with("b", "k", r#"{"amount":-12}"#)]).await;
    assert_eq!(
        f.query("SELECT amount FROM effects ORDER BY place").await,
        [Some("7".to_owned()), Some("-12".to_owned())]
    );
}

pub(crate) async fn every_parameter_is_bound(f: impl SqlFixture) {
    let mut full = message_with("id", "k", r#"{"a":"b"}"#);
    full.headers.insert("x".to_owned(), HeaderValue::Text("y\"z".to_owned()));
    full.headers.insert("n".to_owned(), HeaderValue::Integer(5));
    let expected = [
        (":message_id", "id"),
        (":key", "k"),
        (":type", "OrderPlaced"),
        ("CAST(:shard AS integer)", "0"),
        ("CAST(:sequence AS bigint)", "3"),
        (":correlation_id", "c-1"),
        (":published_at", "2026-11-30T12:00:00.123Z"),
        (":body ->> 'a'", "b"),
        (":headers ->> 'x'", "y\"z"),
        (":headers ->> 'n'", "5"),
    ];
    for (number, (expression, value)) in expected.into_iter().enumerate() {
        full.message_id = if number == 0 { "id".to_owned() } else { format!("id-{number}") };
        assert_eq!(kept(&f, expression, full.clone()).await.as_deref(), Some(value), "{expression}");
    }
}

pub(crate) async fn absent_fields_are_null(f: impl SqlFixture) {
    let mut bare = message("a");
    (bare.sequence, bare.event_type, bare.correlation_id, bare.published_at_ms) = (None, None, None, None);
    let all = "coalesce(CAST(:sequence AS text), :type, :correlation_id, :published_at, :body ->> 'missing', 'null')";
    assert_eq!(kept(&f, all, bare).await.as_deref(), Some("null"));
}

async fn refusal(f: &impl SqlFixture, sql: &str) -> String {
    let store = f.store();
    store.migrate().await.expect("tables");
    store.run_schema("ledger", &f.schema()).await.expect("the consumer's tables");
    let error = store.session(&file("consumers/ledger/handler.sql", sql)).await.err().expect("a refusal");
    assert_eq!(error.kind, StoreKind::Handler, "{error}");
    error.to_string()
}

pub(crate) async fn an_unknown_parameter_is_refused_with_its_place(f: impl SqlFixture) {
    let text = refusal(&f, "SELECT 1;\nSELECT :mesage_id").await;
    assert!(text.contains("consumers/ledger/handler.sql:2:8: unknown parameter :mesage_id"), "{text}");
}

pub(crate) async fn a_statement_that_can_not_be_prepared_is_refused(f: impl SqlFixture) {
    let text = refusal(&f, "SELECT :key;\n\n  INSERT INTO nowhere VALUES (:key)").await;
    assert!(text.starts_with("consumers/ledger/handler.sql:3:"), "{text}");
    assert!(text.contains("nowhere"), "{text}");
    let text = refusal(&f, "SELECT :key FROM effects WHERE unknown_column = 1").await;
    assert!(text.starts_with("consumers/ledger/handler.sql:1:"), "{text}");
    assert!(text.contains("unknown_column"), "{text}");
}

pub(crate) async fn a_value_of_the_wrong_type_is_its_message_s_fault(f: impl SqlFixture) {
    let mut worker = Worker::start(&f, 0).await;
    // SQLite would read the text "seven" as 0; a missing table of effects column is strict in both.
    let bad = message_with("b", "k", r#"{"amount":null}"#);
    let handler =
        file("h.sql", "INSERT INTO effects (message_id, needed) VALUES (:message_id, :body ->> 'amount')");
    let mut strict = Worker::start_with(&f, &handler, shard(1)).await;
    strict.claim(&[message("a"), bad.clone()]).await;
    let failure = strict.session.apply(&[&message("a"), &bad]).await.expect_err("a failure");
    assert_eq!((failure.index, failure.error.kind), (1, StoreKind::Failed), "{}", failure.error);
    assert!(failure.error.to_string().starts_with("h.sql:1:1"), "{}", failure.error);
    strict.session.rollback().await.expect("a rollback");
    worker.run(&[message("c")]).await;
}

pub(crate) async fn a_body_that_is_not_json_is_its_message_s_fault(f: impl SqlFixture) {
    let mut worker = Worker::start(&f, 0).await;
    let mut binary = message("c");
    binary.body = vec![0xff, 0xfe];
    for bad in [message_with("b", "k", "secret{"), binary] {
        worker.claim(&[message("a"), bad.clone()]).await;
        let failure = worker.session.apply(&[&message("a"), &bad]).await.expect_err("a failure");
        assert_eq!((failure.index, failure.error.kind), (1, StoreKind::Failed), "{}", failure.error);
        let shown = format!("{} {:?}", failure.error, failure.error);
        assert!(!shown.contains("secret"), "the body was quoted: {shown}");
        worker.session.rollback().await.expect("a rollback");
    }
}

pub(crate) async fn a_batch_handler_sees_the_messages_in_order(f: impl SqlFixture) {
    let mut worker = Worker::start_with(&f, &f.batch_handler(), shard(0)).await;
    worker.run(&["c", "a", "b"].map(message)).await;
    assert_eq!(f.effects().await, ["c", "a", "b"]);
    assert_eq!(f.query("SELECT sum(amount) FROM effects").await, [Some("21".to_owned())]);
}

pub(crate) async fn a_body_can_not_forge_its_neighbours(f: impl SqlFixture) {
    let mut worker = Worker::start_with(&f, &f.batch_handler(), shard(0)).await;
    let forged = message_with("b", "k", r#"1},{"message_id":"forged","body":{"amount":"1"}"#);
    worker.claim(&[message("a"), forged.clone()]).await;
    let failure = worker.session.apply(&[&message("a"), &forged]).await.expect_err("a failure");
    assert_eq!((failure.index, failure.error.kind), (1, StoreKind::Failed));
}

pub(crate) async fn a_handler_of_several_statements_runs_them_in_order(f: impl SqlFixture) {
    let sql = "INSERT INTO effects (message_id, amount) VALUES (:message_id, 1);\n\
               UPDATE effects SET amount = amount + 1 WHERE message_id = :message_id;\n\
               INSERT INTO effects (message_id, amount) SELECT :message_id, amount * 10 FROM effects WHERE message_id = :message_id;";
    let mut worker = Worker::start_with(&f, &file("h.sql", sql), shard(0)).await;
    worker.run(&[message("a"), message("b")]).await;
    assert_eq!(f.effects().await, ["a", "a", "b", "b"]);
    let amounts = f.query("SELECT amount FROM effects ORDER BY place").await;
    assert_eq!(amounts.into_iter().flatten().collect::<Vec<_>>(), ["2", "20", "2", "20"]);
}

pub(crate) async fn a_statement_that_returns_rows_is_run_to_its_end(f: impl SqlFixture) {
    let sql =
        "INSERT INTO effects (message_id) VALUES (:message_id) RETURNING place;\nSELECT * FROM effects;";
    let mut worker = Worker::start_with(&f, &file("h.sql", sql), shard(0)).await;
    worker.run(&[message("a"), message("b")]).await;
    assert_eq!(f.effects().await, ["a", "b"]);
}

pub(crate) async fn a_bad_schema_is_refused_and_leaves_nothing(f: impl SqlFixture) {
    let store = f.store();
    store.migrate().await.expect("tables");
    let script = file("schema.sql", "CREATE TABLE half (a text);\nCREATE TABLE (oops)");
    let error = store.run_schema("ledger", &script).await.expect_err("a refusal");
    assert_eq!(error.kind, StoreKind::Handler, "{error}");
    assert!(error.to_string().starts_with("schema.sql:2:"), "{error}");
    assert_eq!(store.schema_digest("ledger").await.expect("a look"), None);
    store
        .run_schema("ledger", &file("schema.sql", "CREATE TABLE half (a text)"))
        .await
        .expect("nothing was left");
    let error = store.run_schema("ledger", &file("schema.sql", "COMMIT")).await.expect_err("a refusal");
    assert_eq!(error.kind, StoreKind::Handler, "{error}");
}
