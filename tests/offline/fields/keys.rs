//! What is a key, and where pointers lead.

use topo::{domain::key::KeyError, ports::fields::FieldReader};

use super::{key, reader};

#[test]
fn a_key_is_a_decoded_string_or_an_integer_as_written() {
    let table = [
        (r#"{"k":"1001"}"#, "key 1001"),
        (r#"{"k":1001}"#, "key 1001"),
        (r#"{"k":-0}"#, "key -0"),
        (r#"{"k":-17}"#, "key -17"),
        (r#"{"k":9007199254740993}"#, "key 9007199254740993"),
        (r#"{"k":123456789012345678901234567890}"#, "key 123456789012345678901234567890"),
        (r#"{"k" : "订单-1" }"#, "key 订单-1"),
        (r#"{"k":"\u0041\ud83d\ude00\""}"#, "key A😀\""),
        (r#"{"\u006b":"x"}"#, "key x"),
        (" {\"k\":\" x \"}\n", "key  x "),
    ];
    for (line, expected) in table {
        assert_eq!(key(line), expected, "{line}");
    }
}

#[test]
fn everything_else_is_no_key() {
    let kind = "a key is a string or an integer";
    let table = [
        (r#"{"k":null}"#, format!("/k: the key is null; {kind}")),
        (r#"{"k":""}"#, "/k: the key is empty".into()),
        (r#"{"k":1.0}"#, format!("/k: the key is a number with a fraction or an exponent; {kind}")),
        (r#"{"k":1e3}"#, format!("/k: the key is a number with a fraction or an exponent; {kind}")),
        (r#"{"k":true}"#, format!("/k: the key is true or false; {kind}")),
        (r#"{"k":[1]}"#, format!("/k: the key is an array; {kind}")),
        (r#"{"k":{}}"#, format!("/k: the key is an object; {kind}")),
        (r#"{"l":1}"#, "/k: the key is missing".into()),
        ("[1]", "/k: the key is missing".into()),
        ("7", "/k: the key is missing".into()),
        (r#"{"k":"a\nb"}"#, "/k: the key contains a control character".into()),
    ];
    for (line, expected) in table {
        assert_eq!(key(line), expected, "{line}");
    }
    assert!(key(r#"{"k":"\ud800"}"#).starts_with("/k: the key can't be read: "));
}

#[test]
fn array_indices_follow_rfc_6901() {
    let line = br#"{"items":[{"id":"a"},{"id":"b"}],"byname":{"1":"c"}}"#;
    let key = |pointer: &str| reader(pointer).key(line).map(|key| key.to_string());
    assert_eq!(key("/items/1/id"), Ok("b".to_owned()));
    assert_eq!(key("/byname/1"), Ok("c".to_owned()));
    for nowhere in ["/items/01/id", "/items/-/id", "/items/2/id", "/items/+1/id", "/items/1/id/x"] {
        assert_eq!(key(nowhere), Err(KeyError::Missing), "{nowhere}");
    }
}

#[test]
fn pointers_with_escapes_and_empty_names_are_followed() {
    let line = br#"{"a/b":{"m~n":1},"":{"":2}}"#;
    assert_eq!(reader("/a~1b/m~0n").key(line).unwrap().as_str(), "1");
    assert_eq!(reader("//").key(line).unwrap().as_str(), "2");
}
