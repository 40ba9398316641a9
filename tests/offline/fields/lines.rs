//! Lines that are refused as a whole.

use topo::{
    adapters::json::JsonFields,
    domain::{
        key::{KeyError, KeyRule},
        topology::MessageFields,
    },
    ports::fields::FieldReader,
};

use super::{key, reader};

#[test]
fn a_line_that_is_not_one_json_value_is_refused() {
    for line in
        ["{\"k\":1} x", "{\"k\":1}{\"k\":2}", "{\"k\":1", "{\"k\":01}", "{'k':1}", "{\"k\":1,}", "nul"]
    {
        assert!(key(line).starts_with("not JSON: "), "{line}: {}", key(line));
    }
    for line in ["", " ", "\n"] {
        assert_eq!(key(line), "the text is empty");
    }
}

#[test]
fn a_broken_part_that_no_pointer_leads_to_is_still_refused() {
    assert!(key(r#"{"k":1,"other":[1,{"x":tru}]}"#).starts_with("not JSON: "));
    let without_pointers =
        JsonFields::new(&KeyRule::parse("header:tenant").unwrap(), &MessageFields::default());
    assert!(without_pointers.read(b"{\"a\":}").is_err());
    assert_eq!(without_pointers.read(b"{\"a\":1}").unwrap().key, None);
    assert_eq!(without_pointers.key(b"{\"a\":1}"), Err(KeyError::Missing));
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_place() {
    let reader = reader("/k");
    let said = |bytes: &[u8]| reader.read(bytes).unwrap_err().to_string();
    assert_eq!(said(b"{\"k\":\"\xff\"}"), "not UTF-8 at byte 6");
    assert_eq!(
        said(b"\xef\xbb\xbf{\"k\":1}"),
        "begins with a byte order mark; save the text as UTF-8 without one"
    );
    assert_eq!(said(b"\xff\xfe{\0"), "not UTF-8 at byte 0");
}

#[test]
fn a_pointer_that_occurs_twice_is_refused() {
    let nested = reader("/payload/id");
    let twice = "occurs twice; databases would take different ones";
    for line in [
        r#"{"payload":{"id":1,"id":1}}"#,
        r#"{"payload":{"id":1,"i\u0064":2}}"#,
        r#"{"payload":{"id":1},"payload":{}}"#,
        r#"{"payload":{},"payload":{"id":1}}"#,
        r#"{"payload":1,"payload":{"id":1}}"#,
    ] {
        assert_eq!(
            nested.read(line.as_bytes()).unwrap_err().to_string(),
            format!("/payload/id: {twice}"),
            "{line}"
        );
        assert_eq!(nested.key(line.as_bytes()), Err(KeyError::Twice), "{line}");
    }
    // Elsewhere a repeated name is not ours to judge.
    for line in [r#"{"x":1,"x":2,"payload":{"id":1}}"#, r#"{"id":1,"payload":{"id":1,"x":{"id":2}}}"#] {
        assert_eq!(nested.key(line.as_bytes()).unwrap().as_str(), "1", "{line}");
    }
}

#[test]
fn nesting_is_bounded_and_brackets_in_texts_do_not_count() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let line = |depth: usize| format!(r#"{{"k":1,"x":{}}}"#, nested(depth - 1));
    assert_eq!(key(&line(128)), "key 1");
    assert_eq!(key(&line(129)), "nested deeper than 128 levels");
    assert_eq!(key(&line(100_000)), "nested deeper than 128 levels");
    assert_eq!(key(&format!(r#"{{"k":1,"x":"{}\"{}"}}"#, "[".repeat(500), "{".repeat(500))), "key 1");
    assert_eq!(key(&format!(r#"{{"k":1,"x":[{}]}}"#, vec!["[]"; 500].join(","))), "key 1");
}
