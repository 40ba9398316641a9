//! What the documents say is still so: commands parse, links lead somewhere, tables equal the code.

use clap::{Parser, error::ErrorKind};
use topo::{
    cli::{args::Cli, exit::Exit},
    domain::code::Code,
};

use super::source::{Source, file, files, root};

/// Sentences that are wrong about brokers, and that documents like to repeat.
const WRONG: &[&str] = &[
    "persistent never loses",
    "never lose a message",
    "confirm means it was processed",
    "confirm means that it was processed",
    "confirm and ack are exactly once",
    "confirm + ack is exactly once",
    "exactly-once delivery",
    "auto-ack is safe",
    "auto-ack on a durable queue is safe",
    "nack(requeue) is a retry",
    "skip when redelivered",
    "dedup table is an optimisation",
    "dedup table is an optimization",
];

fn documents() -> Vec<Source> {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "consumers/README.md"];
    top.into_iter().map(file).chain(files("docs", &[".md"])).collect()
}

/// The lines inside fenced blocks, with their numbers.
fn fenced(source: &Source) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut lines = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
        } else if inside {
            lines.push((index + 1, line));
        }
    }
    lines
}

/// The words of a shown command up to a pipe, a redirection, a comment or the end.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in command.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            None if "|<>;&".contains(c) || (c == '#' && word.is_empty()) => break,
            _ => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[test]
fn every_shown_command_parses() {
    let mut seen = 0;
    let mut problems = Vec::new();
    for source in documents() {
        for (number, line) in fenced(&source) {
            let Some(command) = line.trim_start().strip_prefix("$ ").filter(|c| c.starts_with("topo "))
            else {
                continue;
            };
            seen += 1;
            if let Err(error) = Cli::try_parse_from(words(command))
                && !matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
            {
                problems.push(format!("{}:{number}: {command}: {error}", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(seen >= 5, "only {seen} commands are shown");
}

#[test]
fn the_table_of_exit_codes_is_the_programs() {
    let text = file("docs/cli.md").text;
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with("| ") && digits(line)).collect();
    let expected: Vec<_> =
        Exit::ALL.iter().map(|exit| format!("| {} | {} |", exit.number(), exit.meaning())).collect();
    assert_eq!(rows, expected);
}

fn digits(row: &str) -> bool {
    row.trim_start_matches("| ").starts_with(|c: char| c.is_ascii_digit())
}

#[test]
fn every_named_error_code_exists() {
    let mut problems = Vec::new();
    for source in documents() {
        for (at, _) in source.text.match_indices("TOPO0") {
            let code = &source.text[at..(at + 8).min(source.text.len())];
            if !Code::ALL.iter().any(|known| known.to_string() == code) {
                problems.push(format!("{}: {code}", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn links_lead_to_files() {
    let mut problems = Vec::new();
    for source in documents() {
        let folder = root().join(&source.path).parent().unwrap().to_path_buf();
        for (at, _) in source.text.match_indices("](") {
            let target = source.text[at + 2..].split([')', '#']).next().unwrap_or("");
            if !target.is_empty() && !target.contains("://") && !folder.join(target).exists() {
                problems.push(format!("{}: {target}", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn no_document_repeats_a_wrong_sentence() {
    let mut problems = Vec::new();
    for source in documents() {
        let text = source.text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        for wrong in WRONG.iter().filter(|wrong| text.contains(**wrong)) {
            problems.push(format!("{}: {wrong}", source.path));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_index_names_every_document() {
    let index = file("docs/README.md").text;
    let mut problems = Vec::new();
    for source in files("docs", &[".md"]) {
        let name = source.path.trim_start_matches("docs/");
        if name != "README.md" && !index.contains(&format!("]({name})")) {
            problems.push(format!("docs/README.md does not link {name}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn words_stop_where_the_shell_takes_over() {
    assert_eq!(words("topo publish orders.jsonl | jq ."), ["topo", "publish", "orders.jsonl"]);
    assert_eq!(words("topo route 'a b' # one key"), ["topo", "route", "a b"]);
}
