//! Against serde_json's own pointers, and against any bytes at all.

use proptest::prelude::*;
use serde_json::{Value, json};
use topo::{
    adapters::json::{Pointers, parse_rfc3339},
    ports::fields::FieldReader,
};

use super::{envelope::full, pointer};

/// JSON of a few names, so that pointers often lead somewhere.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Quarters, because serde_json reads other fractions a bit off.
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
        "[a-z\"\\\\é😀\n]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "0", "1", "01", "-", "", "a/b", "m~n", "é", "\n"])
        .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|names| {
        names.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
    })
}

proptest! {
    #[test]
    fn pointers_lead_where_serde_json_says(
        value in value(),
        paths in prop::collection::vec(path(), 1..6),
        pretty: bool,
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        let mut pointers = Pointers::default();
        let slots: Vec<_> = paths.iter().map(|path| pointers.add(&pointer(path))).collect();
        let found = pointers.find(text.as_bytes()).unwrap();
        for (path, slot) in paths.iter().zip(slots) {
            let expected = value.pointer(path).cloned();
            let got = found.raw(slot).map(|raw| serde_json::from_str::<Value>(raw).unwrap());
            prop_assert_eq!(got, expected, "{} in {}", path, text);
        }
    }

    #[test]
    fn no_input_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60), text in ".{0,60}") {
        let reader = full();
        prop_assert!(reader.read(&bytes).is_err());
        let _either = (reader.read(text.as_bytes()), reader.key(&bytes), parse_rfc3339(&text));
    }
}
