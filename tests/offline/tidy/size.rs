//! Files stay short enough to be read in one sitting.

use super::source::files;

/// What a file of code may have without a reason.
const USUAL: usize = 250;
/// What no file may have.
const CEILING: usize = 500;

/// Files beyond `USUAL`, each with the reason why it is one idea all the same.
const LONGER: &[(&str, &str)] = &[
    ("src/adapters/amqp/subscription.rs", "one state machine: open, deliver, ack, close"),
    ("src/domain/window.rs", "one state machine: every state of a line and every event that moves it"),
    ("src/flows/publish/run.rs", "one loop over everything that a publisher waits for"),
    ("tests/live/harness/rabbitmq.rs", "one server: files, start, vhosts, stop"),
];

#[test]
fn files_of_code_stay_short() {
    let mut problems = Vec::new();
    let mut sources = files("src", &[".rs", ".sql"]);
    sources.extend(files("tests", &[".rs"]));
    sources.extend(files("scripts", &[""]));
    for source in &sources {
        let lines = source.text.lines().count();
        let reason = LONGER.iter().find(|(path, _)| *path == source.path);
        if lines > CEILING {
            problems.push(format!("{} has {lines} lines; {CEILING} is the ceiling", source.path));
        } else if lines > USUAL && reason.is_none() {
            problems.push(format!(
                "{} has {lines} lines; split it or add it to LONGER with a reason",
                source.path
            ));
        } else if lines <= USUAL && reason.is_some() {
            problems.push(format!("{} has {lines} lines; take it off LONGER", source.path));
        }
    }
    for (path, _) in LONGER {
        if !sources.iter().any(|source| source.path == *path) {
            problems.push(format!("{path} does not exist; take it off LONGER"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn texts_end_with_one_newline_and_lines_without_blanks() {
    let mut problems = Vec::new();
    let texts: &[&str] = &[".rs", ".sql", ".md", ".yaml", ".toml", ".json", ".jsonl", ".expected"];
    for (folder, endings) in
        [("src", texts), ("tests", texts), ("docs", texts), ("consumers", texts), ("scripts", &[""])]
    {
        for source in files(folder, endings) {
            if !source.text.ends_with('\n') || source.text.ends_with("\n\n") {
                problems.push(format!("{} does not end with one newline", source.path));
            }
            if let Some(index) = source.text.lines().position(|line| line.ends_with([' ', '\t', '\r'])) {
                problems.push(format!("{}:{} ends with a blank", source.path, index + 1));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
