//! Lines of input: found in bounded memory, numbered, and never dropped in silence.

use std::{ffi::OsString, fs, path::PathBuf};

use topo::cli::{
    exit::Exit,
    input::{InputLine, Source, feed},
    shards::ShardList,
};

fn lines_of(bytes: &[u8], max_body: u64) -> Vec<(u64, Result<Vec<u8>, String>)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("input.jsonl");
    fs::write(&path, bytes).unwrap();
    let mut lines = Vec::new();
    feed(&[Source::File(path)], max_body, |InputLine { number, bytes, .. }| {
        lines.push((number, bytes));
        true
    });
    lines
}

#[test]
fn blank_lines_are_skipped_but_counted_and_line_ends_are_cut() {
    let lines = lines_of(b"{\"a\":1}\r\n\n   \t\r\n{\"b\":2}\n{\"c\":3}", 100);
    assert_eq!(
        lines,
        [(1, Ok(b"{\"a\":1}".to_vec())), (4, Ok(b"{\"b\":2}".to_vec())), (5, Ok(b"{\"c\":3}".to_vec()))]
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    assert_eq!(lines_of(b"\xef\xbb\xbf{}\n", 100), [(1, Ok(b"{}".to_vec()))]);
}

#[test]
fn bytes_that_are_not_utf8_are_reported_with_their_place() {
    let lines = lines_of(b"{}\n{\"a\":\"\xff\"}\n{}\n", 100);
    assert_eq!(lines[1], (2, Err("not UTF-8 from byte 7 on".to_owned())));
    assert_eq!(lines[2], (3, Ok(b"{}".to_vec())));
}

#[test]
fn a_line_beyond_the_limit_is_reported_and_the_next_one_is_read() {
    let mut bytes = vec![b'x'; 3_000_000];
    bytes.extend_from_slice(b"\n{}\n");
    let lines = lines_of(&bytes, 1000);
    assert_eq!(
        lines,
        [
            (1, Err("the line has 3000000 bytes; publish.max_body allows 1000".to_owned())),
            (2, Ok(b"{}".to_vec()))
        ]
    );
}

#[test]
fn reading_stops_when_nobody_wants_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("input.jsonl");
    fs::write(&path, "{}\n".repeat(100)).unwrap();
    let mut seen = 0;
    feed(&[Source::File(path.clone()), Source::File(path)], 100, |_| {
        seen += 1;
        seen < 3
    });
    assert_eq!(seen, 3);
}

#[test]
fn a_missing_file_and_a_folder_are_bad_usage_that_name_the_file() {
    for name in ["/nonexistent/orders.jsonl", "/tmp"] {
        let failure = Source::all(&[OsString::from("-"), OsString::from(name)]).unwrap_err();
        assert_eq!(failure.exit, Exit::Usage);
        assert!(failure.text.contains(name), "{}", failure.text);
    }
}

#[test]
fn no_argument_and_a_dash_mean_standard_input_but_only_once() {
    assert_eq!(Source::all(&[]).unwrap(), [Source::Stdin]);
    assert_eq!(Source::all(&["-".into()]).unwrap(), [Source::Stdin]);
    assert!(Source::all(&["-".into(), "-".into()]).is_err());
    assert_eq!(Source::all(&["Cargo.toml".into()]).unwrap(), [Source::File(PathBuf::from("Cargo.toml"))]);
}

#[test]
fn shard_lists_are_numbers_and_ranges() {
    let list = |text: &str| text.parse::<ShardList>().map(|list| list.iter().collect::<Vec<_>>());
    assert_eq!(list("0-3,7").unwrap(), [0, 1, 2, 3, 7]);
    assert_eq!(list("5, 1-2,2").unwrap(), [1, 2, 5]);
    for bad in ["", "a", "1-", "-1", "3-1", "1,,2", "4096", "0-4294967295", "1-2-3"] {
        assert!(list(bad).is_err(), "{bad:?}");
    }
}
