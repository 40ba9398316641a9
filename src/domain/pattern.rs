//! The patterns of policies: regular expressions as the broker reads them, on bytes and not anchored.
//!
//! The broker's dialect is PCRE without its Unicode mode: one byte is one character of Latin-1. So pattern
//! and name are compared byte by byte here too. What this engine does not read, or reads otherwise, is
//! never guessed: such a pattern gives no verdict.
//!
//! Also writes the patterns that match topo's own names.

use fancy_regex::Regex;

use super::{template::Field, topology::Topology};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    regex: Option<Regex>,
}

impl Pattern {
    /// Reads a pattern; one that can't be judged gives no verdict on any name.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let regex = if reads_otherwise(text) { None } else { Regex::new(&latin1(text)).ok() };
        Self { regex }
    }

    /// Whether it matches somewhere in `name`; `None`: can't be told.
    #[must_use]
    pub fn matches(&self, name: &str) -> Option<bool> {
        self.regex.as_ref()?.is_match(&latin1(name)).ok()
    }
}

fn latin1(text: &str) -> String {
    text.bytes().map(char::from).collect()
}

/// What both dialects accept with different meanings: the escapes h, H, R and X, and within a class the
/// signs of set operations and nested classes.
fn reads_otherwise(text: &str) -> bool {
    let mut class = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match character {
            '\\' => {
                if matches!(next, Some('h' | 'H' | 'R' | 'X')) {
                    return true;
                }
                characters.next();
            }
            '[' if !class => {
                class = true;
                // Here a bracket that closes at once is a member of the class.
                if next == Some('^') {
                    characters.next();
                }
                if characters.peek() == Some(&']') {
                    characters.next();
                }
            }
            ']' => class = false,
            '[' if next == Some(':') => {
                // A named class such as [:alpha:] ends with its own bracket.
                for character in characters.by_ref() {
                    if character == ']' {
                        break;
                    }
                }
            }
            '[' => return true,
            '&' | '-' | '~' if class && next == Some(character) => return true,
            _ => {}
        }
    }
    false
}

/// A pattern that matches the shard queues of `topology` in its generation and nothing else.
#[must_use]
pub fn shard_queues(topology: &Topology) -> String {
    let template = &topology.queues.name;
    let consumers = topology.consumers.keys().map(|consumer| escape(consumer.as_str()));
    let repeats = |field: &Field| template.as_str().matches(&format!("{{{}}}", field.as_str())).count() > 1;
    if [Field::Consumer, Field::Shard].iter().any(repeats) {
        // Each place would be matched for itself.
        let names = topology.consumers.keys().flat_map(|consumer| {
            (0..topology.shards.count).map(|shard| escape(&topology.queue(consumer, shard)))
        });
        return format!("^{}$", one_of(names.collect()));
    }
    let consumers = one_of(consumers.collect());
    let name = template.render(escape, |field| match field {
        Field::Topology => escape(topology.name.as_str()),
        Field::Consumer => consumers.clone(),
        Field::Generation => topology.shards.generation.to_string(),
        Field::Shard => below(topology.shards.count),
        Field::Count => topology.shards.count.to_string(),
    });
    format!("^{name}$")
}

fn one_of(mut patterns: Vec<String>) -> String {
    match patterns.as_slice() {
        [_] => patterns.remove(0),
        _ => format!("(?:{})", patterns.join("|")),
    }
}

/// The numbers from 0 up to `count`, without leading zeros: `(?:[0-9]|1[0-5])` for 16.
fn below(count: u32) -> String {
    let last = count.saturating_sub(1).to_string();
    let any = |digits: usize| "[0-9]".repeat(digits);
    let mut patterns: Vec<String> = (1..last.len())
        .map(|digits| if digits == 1 { any(1) } else { format!("[1-9]{}", any(digits - 1)) })
        .collect();
    for (place, digit) in last.char_indices() {
        let lowest = if place == 0 && last.len() > 1 { '1' } else { '0' };
        let (before, behind) = (&last[..place], last.len() - place - 1);
        // Everything below this digit; at the last place the digit too.
        let highest = if behind == 0 { Some(digit) } else { (lowest..digit).next_back() };
        patterns.extend(highest.map(|highest| {
            let one = if lowest == highest { lowest.to_string() } else { format!("[{lowest}-{highest}]") };
            format!("{before}{one}{}", any(behind))
        }));
    }
    one_of(patterns)
}

/// `text` as a pattern that matches it alone. Erlang compares bytes, so other scripts need nothing.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_ascii_punctuation()
            && !matches!(c, '-' | '_' | '/' | ':' | ',' | '@' | '%' | '=' | '"' | '\'')
        {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
