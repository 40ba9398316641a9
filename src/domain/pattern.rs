//! The patterns of policies: regular expressions as the broker reads them, on bytes and not anchored.
//!
//! The broker's dialect is PCRE without its Unicode mode: one byte is one character of Latin-1. So pattern
//! and name are compared byte by byte here too. What this engine does not read, or reads otherwise, is
//! never guessed: such a pattern gives no verdict.

use fancy_regex::Regex;

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
