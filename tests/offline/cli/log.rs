//! Log lines: fixed names in a fixed order, and no value can forge another field or line.

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use proptest::prelude::*;
use topo::{
    adapters::observe::{
        line::{Form, Line, Value},
        log::Log,
    },
    domain::message::ShardId,
    ports::{
        clock::Clock,
        observer::{Level, MessageEvent, Observer, Status},
    },
};

struct Noon;

#[async_trait]
impl Clock for Noon {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn unix_ms(&self) -> i64 {
        1_772_366_400_123
    }
    async fn sleep(&self, _duration: Duration) {}
    fn random(&self) -> u64 {
        0
    }
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn logged(form: Form, level: Level, write: impl FnOnce(&Log)) -> String {
    let out = Shared::default();
    let log = Log::new(form, level, Some("orders".to_owned()), Arc::new(Noon), Box::new(out.clone()));
    write(&log);
    let bytes = out.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

fn shard() -> ShardId {
    ShardId { consumer: "ledger".to_owned(), generation: 1, shard: 3 }
}

fn event(shard: &ShardId) -> MessageEvent<'_> {
    MessageEvent {
        status: Status::BusinessCommitted,
        level: Level::Debug,
        shard_id: Some(shard),
        shard: 3,
        message_id: "01HZY0000000000000000000A1",
        event_type: Some("order.created"),
        key: "order 1001",
        trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736"),
        correlation_id: None,
        destination: "orders.ledger.g1.3",
        attempt: 1,
        redelivered: false,
        duration: Some(Duration::from_micros(1500)),
        error: Some("a \"quoted\"\nreason"),
    }
}

#[test]
fn a_message_is_one_line_of_text_in_the_documented_order() {
    let shard = shard();
    insta::assert_snapshot!(logged(Form::Text, Level::Debug, |log| log.message(&event(&shard))), @r#"timestamp=2026-03-01T12:00:00.123Z level=DEBUG service=topo product=rabbitmq topology=orders consumer=ledger shard=3 messageId=01HZY0000000000000000000A1 eventType=order.created aggregateId="order 1001" traceId=4bf92f3577b34da6a3ce929d0e0e4736 destination=orders.ledger.g1.3 attempt=1 redelivered=false status=business_committed durationMs=1.500 errorType="a \"quoted\"\nreason""#);
}

#[test]
fn a_message_is_one_json_object_with_the_same_names() {
    let shard = shard();
    insta::assert_snapshot!(logged(Form::Json, Level::Debug, |log| log.message(&event(&shard))), @r#"{"timestamp":"2026-03-01T12:00:00.123Z","level":"DEBUG","service":"topo","product":"rabbitmq","topology":"orders","consumer":"ledger","shard":3,"messageId":"01HZY0000000000000000000A1","eventType":"order.created","aggregateId":"order 1001","traceId":"4bf92f3577b34da6a3ce929d0e0e4736","destination":"orders.ledger.g1.3","attempt":1,"redelivered":false,"status":"business_committed","durationMs":1.500,"errorType":"a \"quoted\"\nreason"}"#);
}

#[test]
fn per_message_lines_are_left_out_unless_wanted() {
    let shard = shard();
    assert_eq!(logged(Form::Text, Level::Info, |log| log.message(&event(&shard))), "");
}

#[test]
fn a_password_in_a_notice_is_masked() {
    let text = "can't reach amqp://app:hunter2@broker:5672/%2f";
    let line = logged(Form::Text, Level::Info, |log| log.notice(Level::Warn, None, text));
    assert!(!line.contains("hunter2"), "{line}");
    assert!(line.contains("amqp://app:***@broker"), "{line}");
}

/// Reads a text line back, strictly: a field that is not `name=value` is an error.
fn parse_text(line: &str) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut rest = line.strip_suffix('\n').expect("a line ends with a newline");
    while !rest.is_empty() {
        let (name, tail) = rest.split_once('=').expect("name=value");
        let (value, after) = if tail.starts_with('"') {
            let mut stream = serde_json::Deserializer::from_str(tail).into_iter::<String>();
            let value = stream.next().unwrap().unwrap();
            (value, &tail[stream.byte_offset()..])
        } else {
            let end = tail.find(' ').unwrap_or(tail.len());
            (tail[..end].to_owned(), &tail[end..])
        };
        fields.push((name.to_owned(), value));
        rest = after.strip_prefix(' ').unwrap_or(after);
        assert!(after.is_empty() || after.starts_with(' '), "text after a value: {after:?}");
    }
    fields
}

fn plain(value: Value<'_>) -> String {
    match value {
        Value::Text(text) => text.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Millis(millis) => format!("{millis:.3}"),
        Value::Flag(flag) => flag.to_string(),
    }
}

/// Text that likes to break lines: any character, and many of the awkward ones.
fn nasty() -> impl Strategy<Value = String> {
    let awkward = prop::sample::select(vec![
        "\n",
        "\r\n",
        "\"",
        "\\",
        "=",
        " ",
        "status=confirmed",
        "\u{1b}[2J",
        "\u{2028}",
        "\u{202e}",
        "\0",
        "\t",
        "é",
        "",
    ]);
    prop::collection::vec(prop_oneof![awkward.prop_map(str::to_owned), any::<String>()], 0..5)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_reader_gets_back_exactly_what_went_in(
        id in nasty(), key in nasty(), error in prop::option::of(nasty()), message in prop::option::of(nasty()),
        shard in any::<u32>(), redelivered in any::<bool>(), millis in 0.0..1e9_f64,
    ) {
        let line = Line {
            timestamp: "2026-03-01T12:00:00.000Z",
            level: "INFO",
            message_id: Some(&id),
            key: Some(&key),
            shard: Some(shard),
            redelivered: Some(redelivered),
            duration_ms: Some(millis),
            error: error.as_deref(),
            message: message.as_deref(),
            ..Line::default()
        };
        let expected: Vec<(String, String)> =
            line.fields().map(|(name, value)| (name.to_owned(), plain(value))).collect();

        let text = line.render(Form::Text);
        prop_assert_eq!(text.chars().filter(|c| c.is_control()).count(), 1, "only the newline at the end");
        prop_assert_eq!(&parse_text(&text), &expected);

        let json = line.render(Form::Json);
        prop_assert_eq!(json.chars().filter(|c| c.is_control()).count(), 1);
        let parsed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(parsed.len(), expected.len());
        for (name, value) in line.fields() {
            match value {
                Value::Text(text) => prop_assert_eq!(parsed[name].as_str(), Some(text)),
                Value::Number(number) => prop_assert_eq!(parsed[name].as_u64(), Some(number)),
                Value::Flag(flag) => prop_assert_eq!(parsed[name].as_bool(), Some(flag)),
                Value::Millis(millis) => {
                    prop_assert!((parsed[name].as_f64().unwrap() - millis).abs() <= 0.001);
                }
            }
        }
    }
}
