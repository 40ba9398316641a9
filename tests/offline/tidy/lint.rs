//! docs/lint.md shows the table of queue arguments as the program has it.

use topo::domain::lint::{
    QueueType,
    arguments::rows,
    row::{Answer, Meaning, Row},
};

use super::source::file;

fn word(answer: Answer) -> &'static str {
    match answer {
        Answer::Works => "yes",
        Answer::Ignored => "ignored",
        Answer::Refused => "refused",
        Answer::Closes => "closes the connection",
    }
}

/// `ignored; from 3.12 yes; from 4.3 refused`.
fn answers(row: &Row, kind: QueueType) -> String {
    let mut parts = row.since(kind).iter();
    let first = parts.next().map_or("ignored", |(_, answer)| word(*answer)).to_owned();
    parts.fold(first, |said, (version, answer)| {
        format!("{said}; from {}.{} {}", version.major, version.minor, word(*answer))
    })
}

fn line(row: &Row) -> String {
    let meaning = match row.meaning {
        Meaning::Ours(how) => format!("set by topo: {how}"),
        Meaning::Free(what) => format!("free: {what}"),
        Meaning::Harmful(what) => format!("refused: it {what}"),
    };
    let [classic, quorum, stream] = QueueType::ALL.map(|kind| answers(row, kind));
    format!("| `{}` | {} | {classic} | {quorum} | {stream} | {meaning} |", row.name, row.takes)
}

#[test]
fn the_table_of_arguments_is_the_programs() {
    let expected: Vec<_> = rows().iter().map(line).collect();
    let text = file("docs/lint.md").text;
    let found: Vec<_> =
        text.lines().filter(|line| line.starts_with("| `x-") && line.matches('|').count() == 7).collect();
    assert_eq!(found, expected, "expected:\n{}", expected.join("\n"));
}

#[test]
fn the_table_of_arguments_is_in_order() {
    let names: Vec<_> = rows().iter().map(|row| row.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}
