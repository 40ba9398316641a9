//! Durations, ranges and sizes as text, and `${…}`.

use std::time::Duration;

use proptest::prelude::*;
use topo::spec::{duration, size};

use super::world::World;

#[test]
fn durations_are_numbers_with_units() {
    let table = [
        ("30s", Some(30_000)),
        ("14d", Some(14 * 86_400_000)),
        ("1h30m", Some(5_400_000)),
        ("1h 30 min", Some(5_400_000)),
        ("2w", Some(14 * 86_400_000)),
        ("0s", Some(0)),
        ("500ms", Some(500)),
        ("", None),
        ("30", None),
        ("s", None),
        ("-1s", None),
        ("1.5s", None),
        ("1M", None),
        ("2 months", None),
        ("1y", None),
        ("99999999999999999999s", None),
        ("18446744073709551615s 1000000000ns", None),
        ("18446744073709551615w", None),
        ("1s,", None),
    ];
    for (text, expected) in table {
        assert_eq!(duration::parse(text).ok(), expected.map(Duration::from_millis), "{text}");
    }
    assert_eq!(duration::parse("1 year"), Err(duration::Error::Calendar));
    assert_eq!(duration::parse("30"), Err(duration::Error::Unit));
}

#[test]
fn ranges_begin_with_their_smaller_end() {
    let second = Duration::from_secs(1);
    assert_eq!(duration::parse_range("1s..1m"), Ok((second, 60 * second)));
    assert_eq!(duration::parse_range("1s"), Ok((second, second)));
    assert_eq!(duration::parse_range("1m..1s"), Err(duration::Error::Order));
    assert!(duration::parse_range("..1s").is_err());
}

#[test]
fn sizes_are_exact_or_refused() {
    let table = [
        ("0", Some(0)),
        ("1023", Some(1023)),
        ("1KiB", Some(1024)),
        ("64MiB", Some(64 << 20)),
        ("1 GiB", Some(1 << 30)),
        ("1gib", Some(1 << 30)),
        ("1kB", Some(1000)),
        ("16777215TiB", Some(16_777_215 << 40)),
        ("16777216TiB", None),
        ("18446744073709551616", None),
        ("1.5GiB", None),
        ("1G", None),
        ("1K", None),
        ("-1", None),
        ("GiB", None),
        ("", None),
        ("1e6", None),
    ];
    for (text, expected) in table {
        assert_eq!(size::parse(text).ok(), expected, "{text}");
    }
    assert_eq!(size::print(64 << 20), "64MiB");
    assert_eq!(size::print(1025), "1025");
}

proptest! {
    #[test]
    fn printed_durations_read_back(seconds: u64, nanos in 0..1_000_000_000_u32, round in 0..4_u32) {
        // Full seconds and milliseconds are what people write.
        let nanos = nanos - nanos % 10_u32.pow(3 * round.min(3));
        let length = Duration::new(seconds, nanos);
        prop_assert_eq!(duration::parse(&duration::print(length)), Ok(length));
        let other = Duration::from_secs(seconds / 2);
        prop_assert_eq!(duration::parse_range(&duration::print_range(other, length)), Ok((other, length)));
    }

    #[test]
    fn printed_sizes_read_back(bytes: u64, shift in 0..64_u32) {
        let bytes = bytes >> shift << (shift / 2);
        prop_assert_eq!(size::parse(&size::print(bytes)), Ok(bytes));
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,20}", units in "[0-9]{0,22}[a-zA-Zµ .]{0,5}[0-9]{0,22}[a-zA-Z]{0,3}") {
        for text in [text, units] {
            let _either = (duration::parse(&text), duration::parse_range(&text), size::parse(&text));
        }
    }
}

/// What a text expands to, seen through a handler's argument, or the problem.
fn expand(text: &str) -> String {
    let yaml = format!("handler: {{exec: [{}]}}\n", serde_json::to_string(text).unwrap());
    let world = World::new(super::world::THREE_LINES)
        .with("consumers/ledger/consumer.yaml", &yaml)
        .with("consumers/ledger/secret", "from file\n")
        .with("consumers/ledger/windows", "from file\r\n")
        .with("consumers/ledger/two", "a\n\n")
        .env("A", "a")
        .env("EMPTY", "")
        .env("NESTED", "${A}")
        .env("NAME", "secret");
    let loaded = world.load();
    let Some(topology) = loaded.topology else { return loaded.problems[0].message.clone() };
    let consumer = topology.consumers.into_values().next().unwrap();
    match consumer.handler {
        Some(topo::domain::consumer::Handler::Exec { argv, .. }) => argv[0].expose().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn references_are_expanded_once() {
    let table = [
        ("x${A}y", "xay"),
        ("${A}${A}", "aa"),
        ("${EMPTY}", ""),
        ("${NOPE:-b}", "b"),
        ("${EMPTY:-b}", "b"),
        ("${A:-b}", "a"),
        ("${NOPE:-}", ""),
        ("${NOPE:-${A}-${NOPE:-c}}", "a-c"),
        ("${NOPE:-{x}.{y}}", "{x}.{y}"),
        ("${A:-${NOPE}}", "a"),
        ("${NOPE:-a:-b}", "a:-b"),
        // What a variable holds is not looked at again.
        ("${NESTED}", "${A}"),
        ("$$", "$"),
        ("$${A}", "${A}"),
        ("$$$A", "$$A"),
        ("pa$word$", "pa$word$"),
        ("$A", "$A"),
        ("{A}", "{A}"),
        ("${file:secret}", "from file"),
        ("${file:${NAME}}", "from file"),
        ("${file:windows}", "from file"),
        ("${file:two}", "a\n"),
    ];
    for (text, expected) in table {
        assert_eq!(expand(text), expected, "{text}");
    }
}

#[test]
fn broken_references_are_refused() {
    let form = "unknown form in \"${…}\"";
    let table = [
        ("${A", "\"${\" without \"}\""),
        ("${A:-{}", "\"${\" without \"}\""),
        ("${}", form),
        ("${A-b}", form),
        ("${A:?b}", form),
        ("${1A}", form),
        ("${A B}", form),
        ("${:-b}", form),
        ("${env:A}", form),
        ("${NOPE}", "the environment variable NOPE is not set"),
        ("${NOPE:-${NOPE}}", "the environment variable NOPE is not set"),
        ("${file:nowhere}", "can't read the file of ${file:nowhere}"),
        ("${file:}", "can't read the file of ${file:}"),
    ];
    for (text, expected) in table {
        let said = expand(text);
        assert!(said.starts_with(expected), "{text}: {said}");
    }
    let deep = format!("{}x{}", "${NOPE:-".repeat(40), "}".repeat(40));
    assert_eq!(expand(&deep), "\"${…}\" is nested too deep");
}
