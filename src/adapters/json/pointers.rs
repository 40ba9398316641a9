//! Several JSON Pointers in one pass over a text.
//!
//! Owns the tree of names that the pointers make, and the checks of a whole text: UTF-8, no byte order
//! mark, not too deep, nothing after the value. The pass itself is [`super::walk`].

use serde::de::{Deserialize, Deserializer, IgnoredAny};

use super::walk::{State, Walk};
use crate::domain::{envelope::JSON_DEPTH_MAX, key::Pointer};

/// A set of pointers, ready to be looked up in many texts.
#[derive(Debug, Clone, Default)]
pub struct Pointers {
    root: Branch,
    /// By branch; empty where no pointer ends.
    written: Vec<String>,
}

/// One pointer of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

/// One level of the tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Branch {
    /// Its place among all branches but the root.
    pub number: usize,
    /// Whether a pointer ends here.
    pub ends: bool,
    pub children: Vec<(Segment, Branch)>,
}

/// A name in an object, which in an array may be an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub name: String,
    /// RFC 6901 section 4: digits without leading zeros; `-` names no element.
    pub index: Option<usize>,
}

/// Raw texts of the values found.
#[derive(Debug)]
pub struct Found<'a>(Vec<Seen<'a>>);

/// What was seen of a branch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen<'a> {
    Never,
    Passed,
    Value(&'a str),
}

impl<'a> Found<'a> {
    /// The value's text as it stands in the body, `None` when the pointer leads nowhere.
    #[must_use]
    pub fn raw(&self, slot: Slot) -> Option<&'a str> {
        match self.0.get(slot.0) {
            Some(Seen::Value(raw)) => Some(raw),
            Some(Seen::Never | Seen::Passed) | None => None,
        }
    }
}

/// Why a text can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Nothing but white space.
    #[error("the text is empty")]
    Empty,
    /// A UTF-8 byte order mark.
    #[error("begins with a byte order mark; save the text as UTF-8 without one")]
    Mark,
    /// Not UTF-8, from this byte on.
    #[error("not UTF-8 at byte {0}")]
    Utf8(usize),
    /// Not JSON.
    #[error("not JSON: {0}")]
    Json(String),
    /// Nested deeper than databases accept.
    #[error("nested deeper than {JSON_DEPTH_MAX} levels")]
    Deep,
    /// A pointer, or a parent of it, occurs twice; whose slot this is.
    #[error("occurs twice; databases would take different ones")]
    Twice(Slot),
}

impl Pointers {
    /// Adds a pointer; a pointer that is already there gets the same slot.
    pub fn add(&mut self, pointer: &Pointer) -> Slot {
        let Self { root, written } = self;
        let branch = pointer.segments().iter().fold(root, |branch, name| branch.child(name, written));
        branch.ends = true;
        written[branch.number] = pointer.as_str().to_owned();
        Slot(branch.number)
    }

    /// The pointer as it was written.
    #[must_use]
    pub fn written(&self, slot: Slot) -> &str {
        self.written.get(slot.0).map_or("", String::as_str)
    }

    /// Looks all pointers up and checks that the whole text is one JSON value.
    ///
    /// # Errors
    /// See [`Broken`].
    pub fn find<'a>(&self, body: &'a [u8]) -> Result<Found<'a>, Broken> {
        if body.starts_with(b"\xef\xbb\xbf") {
            return Err(Broken::Mark);
        }
        let text = std::str::from_utf8(body).map_err(|error| Broken::Utf8(error.valid_up_to()))?;
        if too_deep(body) {
            return Err(Broken::Deep);
        }
        let mut state = State { seen: vec![Seen::Never; self.written.len()], twice: None };
        let mut json = serde_json::Deserializer::from_str(text);
        let walked = match self.written.as_slice() {
            [] => IgnoredAny::deserialize(&mut json).map(|_| ()),
            _ => json.deserialize_any(Walk { branch: &self.root, state: &mut state }),
        };
        match (walked.and_then(|()| json.end()), state.twice) {
            (_, Some(slot)) => Err(Broken::Twice(slot)),
            (Ok(()), None) => Ok(Found(state.seen)),
            (Err(_), None) if text.trim().is_empty() => Err(Broken::Empty),
            (Err(error), None) => Err(Broken::Json(error.to_string())),
        }
    }
}

impl Branch {
    fn child(&mut self, name: &str, written: &mut Vec<String>) -> &mut Self {
        let at = match self.children.iter().position(|(segment, _)| segment.name == name) {
            Some(at) => at,
            None => {
                let digits = name.bytes().all(|b| b.is_ascii_digit());
                let canonical = name == "0" || (digits && !name.starts_with('0'));
                let index = if canonical { name.parse().ok() } else { None };
                let branch = Self { number: written.len(), ..Self::default() };
                written.push(String::new());
                self.children.push((Segment { name: name.to_owned(), index }, branch));
                self.children.len() - 1
            }
        };
        &mut self.children[at].1
    }

    /// The first pointer at or below this branch, to name it in an error.
    pub(super) fn first(&self) -> Slot {
        match self.children.first() {
            Some((_, child)) if !self.ends => child.first(),
            _ => Slot(self.number),
        }
    }
}

/// Whether arrays and objects are nested beyond the limit.
fn too_deep(body: &[u8]) -> bool {
    let opens = |byte: &u8| matches!(byte, b'{' | b'[');
    // Counting is nearly free, and few texts hold that many brackets at all.
    if body.iter().filter(|byte| opens(byte)).count() <= JSON_DEPTH_MAX {
        return false;
    }
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > JSON_DEPTH_MAX {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
