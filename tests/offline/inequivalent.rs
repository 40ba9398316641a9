//! The broker's 406 texts, as 3.10.8, 4.0.5 and 4.3.6 write them.

use topo::{
    adapters::amqp::inequivalent::parse,
    domain::observed::{Difference, Value},
};

fn number(n: i64) -> Option<Value> {
    Some(Value::Integer(n))
}

fn text(value: &str) -> Option<Value> {
    Some(Value::Text(value.to_owned()))
}

/// Reads a text about the argument, for which `asked` was declared.
fn read(message: &str, asked: Option<Value>) -> Option<(String, Option<Value>, Option<Value>)> {
    let text = format!("PRECONDITION_FAILED - {message}");
    parse(&text, |_| asked.clone()).map(|Difference { field, live, asked }| (field, live, asked))
}

#[test]
fn the_three_forms_give_field_and_both_values() {
    let of = "for queue 's' in vhost 'v'";
    let cases = [
        (
            format!("inequivalent arg 'x-delivery-limit' {of}: received '20' but current is '1000'"),
            number(20),
            ("x-delivery-limit", number(1000), number(20)),
        ),
        (
            format!(
                "inequivalent arg 'x-max-length' {of}: received the value '5' of type 'signedint' but current is none"
            ),
            number(5),
            ("x-max-length", None, number(5)),
        ),
        (
            format!(
                "inequivalent arg 'x-max-length' {of}: received none but current is the value '5' of type 'signedint'"
            ),
            None,
            ("x-max-length", number(5), None),
        ),
        (
            format!("inequivalent arg 'x-single-active-consumer' {of}: received 'true' but current is 'false'"),
            Some(Value::Bool(true)),
            ("x-single-active-consumer", Some(Value::Bool(false)), Some(Value::Bool(true))),
        ),
        (
            format!("inequivalent arg 'x-queue-type' {of}: received 'quorum' but current is 'classic'"),
            text("quorum"),
            ("x-queue-type", text("classic"), text("quorum")),
        ),
        (
            "inequivalent arg 'type' for exchange 'e' in vhost 'v': received 'direct' but current is 'fanout'"
                .to_owned(),
            text("direct"),
            ("type", text("fanout"), text("direct")),
        ),
    ];
    for (message, declared, (field, live, asked)) in cases {
        assert_eq!(read(&message, declared), Some((field.to_owned(), live, asked)), "{message}");
    }
}

#[test]
fn names_full_of_quotes_do_not_confuse_it() {
    let message = "inequivalent arg 'durable' for queue 'it's: received 'x' but current is 'y'' in vhost 'o' for 'v': received 'true' but current is 'false'";
    let (field, live, _) = read(message, Some(Value::Bool(true))).unwrap();
    assert_eq!((field.as_str(), live), ("durable", Some(Value::Bool(false))));
}

#[test]
fn a_text_that_long_names_cut_still_says_what_is_known() {
    let cut = "inequivalent arg 'x-max-length' for queue 'a very long na";
    let (field, live, asked) = read(cut, number(5)).unwrap();
    assert_eq!((field.as_str(), asked), ("x-max-length", number(5)));
    assert!(matches!(live, Some(Value::Other(text)) if text.contains("a very long na")));
    let (field, ..) = read("inequivalent arg 'x-max-le", number(5)).unwrap();
    assert_eq!(field, "declaration");
}

#[test]
fn other_refusals_are_not_differences() {
    assert_eq!(read("invalid arg 'x-overflow' for queue 's' in vhost 'v': invalid_overflow", None), None);
    assert_eq!(read("unknown delivery tag 77", None), None);
}
