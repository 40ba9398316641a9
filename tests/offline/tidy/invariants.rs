//! The named invariants: each stands in the map, in the code that upholds it and in a test.

use super::source::{Source, file, files};

/// The names in the table below the heading "Invariants" of ARCHITECTURE.md.
fn names() -> Vec<String> {
    let map = file("ARCHITECTURE.md");
    let section = map.text.split("\n## Invariants\n").nth(1).expect("a section on invariants");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once('`')).map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_invariant_stands_in_the_code_and_in_a_test() {
    let names = names();
    assert!(names.len() >= 8, "{names:?}");
    let code = files("src", &[".rs"]);
    let tests: Vec<Source> = files("tests", &[".rs"])
        .into_iter()
        .chain(files("src", &["tests.rs"]))
        .filter(|source| !source.path.contains("/tidy/"))
        .collect();
    let mut problems = Vec::new();
    for name in &names {
        let snake = name.replace('-', "_");
        if !code.iter().any(|source| source.text.contains(name)) {
            problems.push(format!("{name} stands in no file of src"));
        }
        if !tests.iter().any(|source| source.text.contains(name) || source.text.contains(&snake)) {
            problems.push(format!("{name} stands in no test"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_code_names_no_invariant_that_the_map_does_not_know() {
    let names = names();
    let mut problems = Vec::new();
    for source in files("src", &[".rs"]) {
        let named = source.text.lines().filter_map(|line| {
            line.trim_start().strip_prefix("//! Invariant").and_then(|rest| rest.split_once(": "))
        });
        for (_, list) in named {
            let list = list.split(['(', '.', ';']).next().unwrap_or("");
            let words = list.split(|c: char| !c.is_ascii_lowercase() && c != '-');
            for word in words.filter(|word| word.matches('-').count() >= 1 && !word.starts_with('-')) {
                if !names.iter().any(|name| name == word) {
                    problems.push(format!("{}: {word} is not in ARCHITECTURE.md", source.path));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
