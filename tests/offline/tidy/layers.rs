//! Who may import whom: the table of ARCHITECTURE.md as data.

use super::source::{Source, file, files};

/// Folder below src, and the layers that it may import.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("spec", &["domain"]),
    ("ports", &["domain"]),
    ("flows", &["domain", "ports"]),
    ("adapters", &["domain", "ports"]),
    ("cli", &["domain", "spec", "ports", "flows", "adapters"]),
];

/// Adapters that every other adapter may use.
const SHARED: &[&str] = &["net", "sql"];

/// Crate, and the only places below src that may name it.
const HOMES: &[(&str, &[&str])] = &[
    // One technology, one home.
    ("lapin", &["adapters/amqp"]),
    ("async_compat", &["adapters/amqp"]),
    ("reqwest", &["adapters/management"]),
    ("bytes", &["adapters/postgres"]),
    ("tokio_postgres", &["adapters/postgres"]),
    ("tokio_postgres_rustls", &["adapters/postgres"]),
    ("rusqlite", &["adapters/sqlite"]),
    ("rustls", &["adapters/net", "adapters/amqp", "adapters/management", "adapters/postgres"]),
    ("rustls_native_certs", &["adapters/net"]),
    ("socket2", &["adapters/net", "adapters/amqp", "adapters/postgres"]),
    ("url", &["adapters/net", "adapters/amqp", "adapters/management", "adapters/postgres"]),
    ("percent_encoding", &["adapters/net", "adapters/amqp", "adapters/management", "adapters/postgres"]),
    ("rustix", &["adapters/clock.rs", "adapters/sqlite"]),
    ("tracing_subscriber", &["adapters/observe"]),
    // Reading files.
    ("serde_saphyr", &["spec"]),
    ("strsim", &["spec"]),
    ("humantime", &["spec", "adapters", "cli"]),
    ("serde", &["spec", "adapters", "cli"]),
    ("serde_json", &["spec", "adapters", "cli"]),
    // The terminal.
    ("clap", &["cli"]),
    ("anstream", &["cli"]),
    ("anstyle", &["cli"]),
    ("comfy_table", &["cli"]),
    ("indicatif", &["cli"]),
    // Plain tools.
    ("fancy_regex", &["domain/pattern.rs"]),
    ("xxhash_rust", &["domain", "adapters"]),
    ("thiserror", &["domain", "spec", "ports", "flows", "adapters", "cli"]),
    ("async_trait", &["ports", "flows", "adapters", "cli"]),
    ("futures_util", &["adapters"]),
    ("tokio", &["flows", "adapters", "cli"]),
    ("tracing", &["flows", "adapters", "cli"]),
    ("uuid", &["adapters", "cli"]),
];

/// What the pure core must not name: it reads no clock, no file, no environment and never waits.
const IMPURE: &[&str] =
    &["async fn", ".await", "std::fs", "std::env", "std::net", "std::process", "SystemTime", "Instant"];

fn layer_of(path: &str) -> Option<&'static str> {
    LAYERS.iter().map(|(layer, _)| *layer).find(|layer| path.starts_with(&format!("src/{layer}/")))
}

/// The first names after `prefix` in `text`: of `crate::a::b` a, of `crate::{a, b::c}` a and b.
fn heads(text: &str, prefix: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            found.push(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut item = String::new();
        for c in group.chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 || (depth == 1 && c == ',') {
                found.push(word(item.trim()));
                item.clear();
            } else {
                item.push(c);
            }
            if depth == 0 {
                break;
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Whether `line` names the crate `name` at the head of a path.
fn names_crate(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = &line[at + name.len()..];
        let head = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':');
        let used = line[..at].trim_end().ends_with("use") && after.starts_with(';');
        head && (after.starts_with("::") || used)
    })
}

fn joined_code(source: &Source) -> String {
    source.code().map(|(_, line)| line.trim()).collect::<Vec<_>>().join(" ").replace("{ ", "{")
}

#[test]
fn a_layer_imports_only_what_the_table_allows() {
    let mut problems = Vec::new();
    for source in files("src", &[".rs"]) {
        let Some(layer) = layer_of(&source.path) else { continue };
        let allowed = LAYERS.iter().find(|(name, _)| *name == layer).map_or(&[][..], |(_, may)| may);
        for head in heads(&joined_code(&source), "crate::") {
            let known = LAYERS.iter().any(|(name, _)| *name == head);
            if known && head != layer && !allowed.contains(&head.as_str()) {
                problems.push(format!("{}: {layer} must not import {head}", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}\nthe table: {LAYERS:#?}", problems.join("\n"));
}

#[test]
fn an_adapter_imports_no_other_adapter() {
    let mut problems = Vec::new();
    for source in files("src/adapters", &[".rs"]) {
        let own =
            source.path.trim_start_matches("src/adapters/").split(['/', '.']).next().unwrap().to_owned();
        for head in heads(&joined_code(&source), "crate::adapters::") {
            if head != own && !SHARED.contains(&head.as_str()) {
                problems.push(format!("{}: the adapter {own} must not import {head}", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_crate_is_named_only_at_its_home() {
    let mut problems = Vec::new();
    for source in files("src", &[".rs"]) {
        for (name, homes) in HOMES {
            if homes.iter().any(|home| source.path.starts_with(&format!("src/{home}"))) {
                continue;
            }
            for (number, line) in source.code().filter(|(_, line)| names_crate(line, name)) {
                problems.push(format!("{}:{number}: {name} is for {homes:?}: {}", source.path, line.trim()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_dependency_has_a_home() {
    let manifest = file("Cargo.toml");
    let section = manifest.text.split("\n[dependencies]\n").nth(1).expect("a section of dependencies");
    let section = section.split("\n[").next().unwrap();
    let mut problems = Vec::new();
    for name in
        section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.replace('-', "_"))
    {
        if !HOMES.iter().any(|(known, _)| *known == name) {
            problems
                .push(format!("{name} is in Cargo.toml; add it to HOMES with the places that may name it"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_core_is_pure() {
    let mut problems = Vec::new();
    for source in files("src/domain", &[".rs"]) {
        for (number, line) in source.code() {
            if let Some(word) = IMPURE.iter().find(|word| line.contains(**word)) {
                problems.push(format!("{}:{number}: {word} in the pure core", source.path));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_scanner_sees_what_it_should() {
    assert_eq!(heads("use crate::domain::key;", "crate::"), ["domain"]);
    assert_eq!(heads("use crate::{domain::{a, b}, ports::c};", "crate::"), ["domain", "ports"]);
    assert!(names_crate("let c = lapin::Connection::connect();", "lapin"));
    assert!(names_crate("use tokio::{sync, time};", "tokio"));
    assert!(!names_crate("use tokio_postgres::Client;", "tokio"));
    assert!(!names_crate("self::lapin::x()", "lapin"));
}
