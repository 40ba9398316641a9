//! docs/topology.md lists every key of both files, with the default and the meaning that the program has.

use serde_json::Value;
use topo::spec;

use super::source::file;

/// The object schema of a section; a section that may also be written short is one of several forms.
fn object(schema: &Value) -> &Value {
    let forms = schema["anyOf"].as_array();
    forms.and_then(|forms| forms.iter().find(|form| form["type"] == "object")).unwrap_or(schema)
}

/// The schema of one key.
fn find<'a>(root: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(root, |schema, name| {
        let schema = object(schema);
        if name == "NAME" { &schema["additionalProperties"] } else { &schema["properties"][name] }
    })
}

fn row(root: &Value, path: &str) -> String {
    let schema = find(root, path);
    let meaning = schema["description"].as_str().unwrap_or_else(|| panic!("{path} has no description"));
    let default = match &schema["default"] {
        Value::Null => match schema["$comment"].as_str() {
            Some(comment) => comment.trim_start_matches("without it: ").to_owned(),
            None => "required".to_owned(),
        },
        Value::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    };
    format!("| `{path}` | {default} | {} |", meaning.replace('|', "\\|"))
}

#[test]
fn the_tables_of_keys_are_the_programs() {
    let (topology, consumer) = spec::keys();
    let rows = |root: &Value, paths: &[String]| paths.iter().map(|path| row(root, path)).collect::<Vec<_>>();
    let mut expected = rows(&spec::topology_schema(), &topology);
    expected.extend(rows(&spec::consumer_schema(), &consumer));
    let text = file("docs/topology.md").text;
    let found: Vec<_> = text.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(found, expected, "expected:\n{}", expected.join("\n"));
}
