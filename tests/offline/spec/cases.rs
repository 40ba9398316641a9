//! Each `cases/NAME.yaml` is a topology.yaml, each `consumer_cases/NAME.yaml` a consumer.yaml; what is
//! said about it stands in `NAME.said` beside it. `UPDATE_CASES=1` writes what is said now.

use std::{fs, path::Path};

use super::world::{THREE_LINES, World};

#[test]
fn every_topology_file_gets_its_problems() {
    check("cases", |text| World::new(text).with("consumers/ledger/handler.sql", "SELECT 1;\n"));
}

#[test]
fn every_consumer_file_gets_its_problems() {
    check("consumer_cases", |text| {
        World::new(THREE_LINES)
            .with("consumers/ledger/handler.sql", "SELECT 1;\n")
            .with("consumers/ledger/consumer.yaml", text)
    });
}

fn check(folder: &str, world: impl Fn(&str) -> World) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/spec").join(folder);
    let mut files: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for file in files {
        let world = world(&fs::read_to_string(&file).unwrap())
            .env("EMPTY", "")
            .env("WORD", "expanded-secret")
            .env("FOUR", "4");
        let said = world.said();
        assert!(!said.contains("expanded-secret"), "{}: {said}", file.display());
        let expected = file.with_extension("said");
        if std::env::var_os("UPDATE_CASES").is_some() {
            fs::write(&expected, &said).unwrap();
        }
        let expected = fs::read_to_string(&expected).unwrap_or_default();
        if said != expected {
            wrong.push(format!("{}\nexpected:\n{expected}\nsaid:\n{said}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
