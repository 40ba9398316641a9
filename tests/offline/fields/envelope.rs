//! Ids, sequence numbers, times and the other fields beside the key.

use topo::{
    adapters::json::{JsonFields, parse_rfc3339},
    domain::{
        envelope::Envelope,
        key::{KeyRule, OrderingKey},
        topology::MessageFields,
    },
    ports::fields::FieldReader,
};

use super::pointer;

pub(crate) fn full() -> JsonFields {
    let message = MessageFields {
        id: Some(pointer("/messageId")),
        event_type: Some(pointer("/eventType")),
        sequence: Some(pointer("/version")),
        occurred_at: Some(pointer("/occurredAt")),
        correlation_id: Some(pointer("/correlationId")),
        trace_id: Some(pointer("/payload")),
    };
    JsonFields::new(&KeyRule::parse("/payload/orderId").unwrap(), &message)
}

#[test]
fn all_fields_are_read_in_one_pass() {
    let mut reader = full();
    let line = br#"{"messageId":"m-1","eventType":"order.paid","version":-3,
        "occurredAt":"2026-11-30T19:24:10.25+08:00","correlationId":17,"payload":{"orderId":"o-1"}}"#;
    // The trace id's pointer leads to an object here.
    assert_eq!(
        reader.read(line).unwrap_err().to_string(),
        "/payload: the value is an object; expected a string or an integer"
    );
    reader = JsonFields::new(
        &KeyRule::parse("/payload/orderId").unwrap(),
        &MessageFields {
            id: Some(pointer("/messageId")),
            event_type: Some(pointer("/eventType")),
            sequence: Some(pointer("/version")),
            occurred_at: Some(pointer("/occurredAt")),
            correlation_id: Some(pointer("/correlationId")),
            // One value may serve twice.
            trace_id: Some(pointer("/messageId")),
        },
    );
    let fields = reader.read(line).unwrap();
    assert_eq!(fields.key.unwrap().as_str(), "o-1");
    assert_eq!(fields.id.as_deref(), Some("m-1"));
    assert_eq!(fields.event_type.as_deref(), Some("order.paid"));
    assert_eq!(fields.sequence, Some(-3));
    assert_eq!(fields.occurred_at_ms, Some(1_796_037_850_250));
    assert_eq!(fields.correlation_id.as_deref(), Some("17"));
    assert_eq!(fields.trace_id.as_deref(), Some("m-1"));
}

#[test]
fn a_missing_id_makes_the_line_invalid_and_other_fields_may_be_missing() {
    let reader = full();
    for line in [
        r#"{"payload":{"orderId":1}}"#,
        r#"{"messageId":null,"payload":{"orderId":1}}"#,
        r#"{"messageId":"","payload":{"orderId":1}}"#,
    ] {
        let said = JsonFields::new(
            &KeyRule::parse("/payload/orderId").unwrap(),
            &MessageFields { id: Some(pointer("/messageId")), ..MessageFields::default() },
        );
        assert_eq!(
            said.read(line.as_bytes()).unwrap_err().to_string(),
            "/messageId: the message id is missing, null or empty",
            "{line}"
        );
    }
    for (line, expected) in [
        (r#"{"messageId":[1],"k":1}"#, "/messageId: the value is an array; expected a string or an integer"),
        (
            r#"{"messageId":1.5,"k":1}"#,
            "/messageId: the value is a number with a fraction or an exponent; expected a string or an integer",
        ),
    ] {
        let fields = MessageFields { id: Some(pointer("/messageId")), ..MessageFields::default() };
        let reader = JsonFields::new(&KeyRule::parse("/k").unwrap(), &fields);
        assert_eq!(reader.read(line.as_bytes()).unwrap_err().to_string(), expected);
    }
    assert!(reader.read(br#"{"messageId":"m"}"#).unwrap_err().to_string().contains("the key is missing"));
}

#[test]
fn a_sequence_number_is_an_integer_of_64_bits() {
    let fields = MessageFields { sequence: Some(pointer("/v")), ..MessageFields::default() };
    let reader = JsonFields::new(&KeyRule::parse("/k").unwrap(), &fields);
    let sequence =
        |value: &str| reader.read(format!(r#"{{"k":1,"v":{value}}}"#).as_bytes()).map(|f| f.sequence);
    assert_eq!(sequence("9223372036854775807"), Ok(Some(i64::MAX)));
    assert_eq!(sequence("-9223372036854775808"), Ok(Some(i64::MIN)));
    assert_eq!(sequence("-0"), Ok(Some(0)));
    assert_eq!(sequence("null"), Ok(None));
    for wrong in ["9223372036854775808", "1.0", "1e2", "\"5\"", "true", "[]"] {
        assert_eq!(
            sequence(wrong).unwrap_err().to_string(),
            "/v: the sequence number is not an integer of 64 bits"
        );
    }
}

#[test]
fn times_are_read_with_their_offset() {
    let table = [
        ("1970-01-01T00:00:00Z", Some(0)),
        ("2026-11-30T19:24:10Z", Some(1_796_066_650_000)),
        ("2026-11-30T19:24:10.1234567+08:00", Some(1_796_037_850_123)),
        ("2026-11-30 19:24:10-01:30", Some(1_796_072_050_000)),
        ("2000-02-29T23:59:60z", Some(951_868_800_000)),
        ("1969-12-31T23:59:59.999Z", Some(-1)),
        ("2026-02-29T00:00:00Z", None),
        ("2026-11-31T00:00:00Z", None),
        ("2026-11-30T24:00:00Z", None),
        ("2026-11-30T19:24:10", None),
        ("2026-11-30T19:24:10.Z", None),
        ("2026-11-30T19:24:10+8:00", None),
        ("2026-11-30T19:24:10Z ", None),
        ("2026-1-30T19:24:10Z", None),
        ("2026-11-30", None),
        ("", None),
        ("２026-11-30T19:24:10Z", None),
    ];
    for (text, expected) in table {
        assert_eq!(parse_rfc3339(text), expected, "{text}");
    }
    let fields = MessageFields { occurred_at: Some(pointer("/t")), ..MessageFields::default() };
    let reader = JsonFields::new(&KeyRule::parse("/k").unwrap(), &fields);
    for (value, ok) in [("null", true), ("1796037850", false), ("\"yesterday\"", false)] {
        let line = format!(r#"{{"k":1,"t":{value}}}"#);
        assert_eq!(reader.read(line.as_bytes()).is_ok(), ok, "{value}");
    }
}

#[test]
fn an_identifier_that_is_too_long_or_contains_a_nul_is_refused_before_sending() {
    let envelope = |id: &str, event_type: &str, correlation_id: &str| Envelope {
        message_id: id.to_owned(),
        key: OrderingKey::new("k").unwrap(),
        event_type: Some(event_type.to_owned()),
        correlation_id: Some(correlation_id.to_owned()),
        sequence: None,
        occurred_at_ms: None,
        trace_id: None,
        body: b"{}".to_vec(),
    };
    let long = "é".repeat(128);
    for (given, expected) in [
        (envelope("m", "t", "c"), None),
        (envelope(&long[..254], "t", "c"), None),
        (envelope("", "t", "c"), Some("the message id is empty")),
        (envelope(&long, "t", "c"), Some("the message id has 256 bytes; AMQP allows at most 255")),
        (envelope("m\0", "t", "c"), Some("the message id contains a NUL")),
        (envelope("m", "\0t", "c"), Some("the event type contains a NUL")),
        (envelope("m", "t", "c\0c"), Some("the correlation id contains a NUL")),
    ] {
        assert_eq!(given.check(2).err().map(|e| e.to_string()).as_deref(), expected);
    }
}
