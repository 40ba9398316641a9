//! Walks a tree along a table: every value found, every default filled in, every problem collected.
//!
//! Knows nothing of topologies; what the values mean together is judged in [`super::rules`] and
//! [`super::consumer`].

use super::{
    arguments, hint,
    node::{Content, Key, Node},
    report::Report,
    table::{Fallback, Field, Kind, Section, Shape},
    value::{self, Source},
    values::{Entry, Shown, Value, Values, Where},
};
use crate::domain::name::Name;

/// What reading needs besides the tree.
pub(super) struct Reader<'a> {
    pub report: &'a mut Report,
    pub source: Source<'a>,
    /// Put before paths in messages: `consumers.NAME.` below a consumer.
    pub prefix: String,
}

impl Reader<'_> {
    /// Reads a whole file.
    pub(super) fn file(&mut self, section: &'static Section, root: &Node) -> Values {
        let mut values = Values::default();
        self.section(section, root, "", &mut values);
        self.fill(section, at(root), "", &mut values);
        values
    }

    /// Reads what is there.
    fn section(&mut self, section: &'static Section, node: &Node, path: &str, out: &mut Values) {
        let pairs = match (&node.content, section.short) {
            (Content::Map(pairs), _) => pairs,
            (Content::Null, _) => return,
            (Content::Number(_) | Content::Text(_) | Content::Bool(_), Some(short)) => {
                let path = join(path, short);
                return self.known(section.field(short), node, &path, out);
            }
            (other, _) => {
                let message = format!("expected a mapping, found {}", other.kind());
                self.problem(at(node), path, message, Some(known_keys(section)));
                return silence(section, path, out);
            }
        };
        // A short form outside of its section is read first, so that the long form is the one reported.
        let (first, second): (Vec<_>, Vec<_>) = pairs
            .iter()
            .map(|(key, value)| (section.field(&key.text), key, value))
            .partition(|(field, ..)| field.is_some_and(|f| matches!(f.kind, Kind::Alias(_))));
        let mut seen: Vec<&Key> = Vec::new();
        for (field, key, value) in first.into_iter().chain(second) {
            let path = join(path, &key.text);
            if let Some(before) = seen.iter().find(|before| before.text == key.text) {
                let message = format!("the key is given twice, first at {}", before.place);
                self.problem(key_at(key), &path, message, None);
                continue;
            }
            seen.push(key);
            if field.is_none() {
                self.problem(key_at(key), &path, "unknown key", Some(meant(section, &key.text)));
            }
            self.known(field, value, &path, out);
        }
    }

    fn known(&mut self, field: Option<&'static Field>, node: &Node, path: &str, out: &mut Values) {
        let Some(field) = field else { return };
        match field.kind {
            Kind::Section(below) => self.section(below, node, path, out),
            Kind::Consumers(below) => self.consumers(below, node, path, out),
            Kind::Value(shape) => self.value(field, shape, node, path, out),
            Kind::Arguments => arguments::read(self, node, path, out),
            Kind::Alias(target) => {
                if let Some(field) = super::topology_table::TOPOLOGY.at(target) {
                    self.known(Some(field), node, target, out);
                }
            }
        }
    }

    fn consumers(&mut self, section: &'static Section, node: &Node, path: &str, out: &mut Values) {
        let pairs = match &node.content {
            Content::Map(pairs) => pairs.as_slice(),
            Content::Null => &[],
            other @ (Content::Bool(_) | Content::Number(_) | Content::Text(_) | Content::List(_)) => {
                let message = format!("expected a mapping of names, found {}", other.kind());
                return self.problem(at(node), path, message, Some("write `NAME: {}`".to_owned()));
            }
        };
        let list = out.consumers.get_or_insert_default();
        for (key, value) in pairs {
            let path = join(path, &key.text);
            let at_key = key_at(key);
            if let Some((_, before, _)) = list.iter().find(|(name, ..)| *name == key.text) {
                self.problem(at_key, &path, format!("the consumer is given twice, first at {before}"), None);
                continue;
            }
            if let Err(error) = Name::new(key.text.as_str()) {
                self.problem(at_key, &path, error.to_string(), None);
                continue;
            }
            if key.text.contains(['/', '\\']) || key.text.starts_with('.') {
                let message = "a consumer's name is a folder's name: no slashes, no dot at its beginning";
                self.problem(at_key, &path, message, None);
                continue;
            }
            let mut below = Values::default();
            let outer = std::mem::replace(&mut self.prefix, format!("{path}."));
            self.section(section, value, "", &mut below);
            self.fill(section, at(value), "", &mut below);
            self.prefix = outer;
            list.push((key.text.clone(), at_key, below));
        }
    }

    /// Reads one value and keeps it or reports it.
    fn value(&mut self, field: &'static Field, shape: Shape, node: &Node, path: &str, out: &mut Values) {
        let here = at(node);
        if let Some(before) = out.get(path) {
            let message = format!("the value is given twice, first at {}", before.at);
            return self.problem(here, path, message, None);
        }
        let (value, shown) = value::read(self.source, field, shape, node).unwrap_or_else(|wrong| {
            self.problem(here, path, wrong.message, wrong.help.or_else(|| Some(field.doc.to_owned())));
            // Kept as nothing, so that it is not reported as missing too.
            (Value::Nothing, Shown::Nothing)
        });
        out.insert(path.to_owned(), Entry { at: here, value, shown });
    }

    /// Puts defaults where the file says nothing, and reports what has none.
    fn fill(&mut self, section: &'static Section, here: Where, path: &str, out: &mut Values) {
        for field in section.fields {
            let path = join(path, field.key);
            match field.kind {
                Kind::Section(below) => self.fill(below, here, &path, out),
                Kind::Value(shape) if out.get(&path).is_none() => {
                    self.default(field, shape, here, &path, out)
                }
                Kind::Value(_) | Kind::Consumers(_) | Kind::Arguments | Kind::Alias(_) => {}
            }
        }
    }

    fn default(&mut self, field: &'static Field, shape: Shape, here: Where, path: &str, out: &mut Values) {
        let text = match field.default {
            Fallback::Required => {
                return self.problem(here, path, "the setting is missing", Some(field.doc.to_owned()));
            }
            Fallback::Absent(_) => return,
            Fallback::Is(text) | Fallback::Maybe(text) => text.to_owned(),
            // The name as written, so that a reference in it stays one.
            Fallback::TopologyName => match out.get("topology").map(|entry| entry.shown.clone()) {
                Some(Shown::Text(source)) => source,
                _ => return,
            },
        };
        match value::text(self.source, field, shape, &text, true) {
            Ok((value, shown)) => out.insert(path.to_owned(), Entry { at: Where::default(), value, shown }),
            Err(wrong) => {
                let help = format!("the value is the default {text}");
                self.problem(Where::default(), path, wrong.message, Some(help));
            }
        }
    }

    pub(super) fn problem(
        &mut self,
        at: Where,
        path: &str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let path = format!("{}{path}", self.prefix);
        self.report.problem(at, &path, message, help);
    }
}

/// Keeps the values of a section that could not be read as nothing, so that none is called missing.
fn silence(section: &'static Section, path: &str, out: &mut Values) {
    for field in section.fields {
        let path = join(path, field.key);
        match field.kind {
            Kind::Section(below) => silence(below, &path, out),
            Kind::Value(_) => {
                out.insert(
                    path,
                    Entry { at: Where::default(), value: Value::Nothing, shown: Shown::Nothing },
                );
            }
            Kind::Consumers(_) | Kind::Arguments | Kind::Alias(_) => {}
        }
    }
}

pub(super) fn at(node: &Node) -> Where {
    Where { place: Some(node.place), anchor: node.anchor }
}

pub(super) fn key_at(key: &Key) -> Where {
    Where { place: Some(key.place), anchor: None }
}

pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn known_keys(section: &Section) -> String {
    let keys: Vec<_> = section.fields.iter().map(|field| field.key).collect();
    format!("known keys are {}", keys.join(", "))
}

/// What an unknown key may have meant: a near key here, the same key in another section, or the list.
fn meant(section: &'static Section, key: &str) -> String {
    if let Some(hint) = hint::did_you_mean(key, section.fields.iter().map(|field| field.key)) {
        return hint;
    }
    let below =
        section.fields.iter().find(|field| field.section().is_some_and(|below| below.field(key).is_some()));
    match below {
        Some(field) => format!("{key} belongs below {}:", field.key),
        None => known_keys(section),
    }
}
