//! A file in its full form: every key of the table in order, with its value or its default.
//!
//! Prints what stood in the file, never what it expanded to. Keys without a value are comments that say
//! what their absence means, so the text can be read again as it is.

use super::{
    table::{Fallback, Field, Kind, Section},
    values::{Shown, Values},
};

/// Prints `values` along `section`.
pub(super) fn print(section: &'static Section, values: &Values) -> String {
    let mut out = String::new();
    block(section, values, "", 0, &mut out);
    out
}

fn block(section: &'static Section, values: &Values, path: &str, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for field in section.fields {
        let path = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
        let key = field.key;
        match field.kind {
            Kind::Alias(_) => {}
            Kind::Section(below) => {
                if has_value(below, values, &path) {
                    out.push_str(&format!("{indent}{key}:\n"));
                } else {
                    out.push_str(&format!("{indent}{key}: {{}}\n"));
                }
                block(below, values, &path, depth + 1, out);
            }
            Kind::Consumers(below) => {
                let listed = values.consumers.as_deref().unwrap_or_default();
                out.push_str(&format!("{indent}{key}:{}\n", if listed.is_empty() { " {}" } else { "" }));
                for (name, _, own) in listed {
                    let name = scalar(name);
                    if has_value(below, own, "") {
                        out.push_str(&format!("{indent}  {name}:\n"));
                        given(below, own, "", depth + 2, out);
                    } else {
                        out.push_str(&format!("{indent}  {name}: {{}}\n"));
                    }
                }
            }
            Kind::Arguments => arguments(field, values, &path, &indent, &mut *out),
            Kind::Value(_) => match values.get(&path).map(|entry| &entry.shown) {
                None | Some(Shown::Nothing) => match field.default {
                    Fallback::Absent(meaning) => out.push_str(&format!("{indent}# {key}: ({meaning})\n")),
                    // Said to be nothing, against a default that may be something.
                    Fallback::Maybe(_) => out.push_str(&format!("{indent}{key}: null\n")),
                    Fallback::Required | Fallback::Is(_) | Fallback::TopologyName => {}
                },
                Some(shown) => out.push_str(&format!("{indent}{key}: {}\n", value(shown))),
            },
        }
    }
}

fn arguments(field: &Field, values: &Values, path: &str, indent: &str, out: &mut String) {
    let names = values.names_below(path);
    match field.default {
        Fallback::Absent(meaning) if names.is_empty() => {
            out.push_str(&format!("{indent}# {}: ({meaning})\n", field.key));
        }
        _ => out.push_str(&format!("{indent}{}:\n", field.key)),
    }
    for name in names {
        if let Some(entry) = values.get(&format!("{path}.{name}")) {
            out.push_str(&format!("{indent}  {}: {}\n", scalar(name), value(&entry.shown)));
        }
    }
}

/// Only what has a value: a consumer's override says nothing by its absence.
fn given(section: &'static Section, values: &Values, path: &str, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for field in section.fields {
        let path = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
        if let Some(below) = field.section() {
            if has_value(below, values, &path) {
                out.push_str(&format!("{indent}{}:\n", field.key));
                given(below, values, &path, depth + 1, out);
            }
        } else if let Some(entry) = values.get(&path).filter(|entry| entry.shown != Shown::Nothing) {
            out.push_str(&format!("{indent}{}: {}\n", field.key, value(&entry.shown)));
        }
    }
}

fn has_value(section: &'static Section, values: &Values, path: &str) -> bool {
    section.fields.iter().any(|field| {
        let path = if path.is_empty() { field.key.to_owned() } else { format!("{path}.{}", field.key) };
        match field.section() {
            Some(below) => has_value(below, values, &path),
            None => values.get(&path).is_some_and(|entry| entry.shown != Shown::Nothing),
        }
    })
}

fn value(shown: &Shown) -> String {
    match shown {
        Shown::Nothing => String::new(),
        Shown::Plain(text) => text.clone(),
        Shown::Text(text) => scalar(text),
        Shown::List(items) => {
            let items: Vec<_> = items.iter().map(|item| scalar(item)).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// A YAML scalar that reads back as this text, in quotes unless it is plainly a word.
pub(super) fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if plain {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
