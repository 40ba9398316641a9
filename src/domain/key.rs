//! The ordering key: where it stands in a message, and which texts are keys.
//!
//! Owns RFC 6901 pointers and the rule of a valid key. Finding a pointer's value in a JSON body is an
//! adapter's work ([`crate::ports::fields`]); routing a key is [`super::route`].
//!
//! Invariant: per-key-order (two spellings of one id are two keys; the spelling is kept byte for byte, T105).

use std::fmt;

/// What orders messages: the text of an order id. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OrderingKey(String);

/// Why a value can't be an ordering key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The pointer or header leads nowhere.
    #[error("the key is missing")]
    Missing,
    /// An empty string: partitioners disagree about it (T110).
    #[error("the key is empty")]
    Empty,
    /// A JSON value that is neither a string nor an integer (T106).
    #[error("the key is {0}; a key is a string or an integer")]
    Kind(&'static str),
    /// A control character: such ids can't be told apart in logs.
    #[error("the key contains a control character")]
    Control,
    /// The configured pointer occurs twice: two databases would read it differently.
    #[error("the key occurs twice in this message")]
    Twice,
    /// The body can't be read: no JSON, or a text that is not Unicode.
    #[error("the key can't be read: {0}")]
    Unreadable(String),
}

impl OrderingKey {
    /// Checks a decoded text.
    ///
    /// # Errors
    /// Empty texts and control characters are refused.
    pub fn new(text: impl Into<String>) -> Result<Self, KeyError> {
        let text = text.into();
        if text.is_empty() {
            return Err(KeyError::Empty);
        }
        if text.chars().any(char::is_control) {
            return Err(KeyError::Control);
        }
        Ok(Self(text))
    }

    /// The key's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrderingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where the key stands: a pointer into the body, or a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyRule {
    /// An RFC 6901 JSON Pointer into the body.
    Pointer(Pointer),
    /// `header:NAME`: a string or integer header of the message.
    Header(String),
}

impl KeyRule {
    /// Reads `/orderId` or `header:NAME`.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        match text.strip_prefix("header:") {
            Some("") => Err(PointerError::Header),
            Some(name) => Ok(Self::Header(name.to_owned())),
            None => Pointer::parse(text).map(Self::Pointer),
        }
    }
}

impl fmt::Display for KeyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer(pointer) => pointer.fmt(f),
            Self::Header(name) => write!(f, "header:{name}"),
        }
    }
}

/// An RFC 6901 JSON Pointer with at least one segment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pointer {
    text: String,
    segments: Vec<String>,
}

/// Why a text is not a usable pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PointerError {
    /// A pointer must begin with a slash.
    #[error("a JSON Pointer begins with \"/\", for example /orderId")]
    NoSlash,
    /// The empty pointer is the whole body, which is no key.
    #[error("an empty JSON Pointer means the whole body")]
    Whole,
    /// `~` must be followed by 0 or 1 (RFC 6901 section 3).
    #[error("in a JSON Pointer \"~\" is written \"~0\" and \"/\" inside a name \"~1\"")]
    Escape,
    /// `header:` without a name.
    #[error("\"header:\" needs the name of a header")]
    Header,
}

impl Pointer {
    /// Reads and unescapes a pointer.
    ///
    /// # Errors
    /// See [`PointerError`].
    pub fn parse(text: &str) -> Result<Self, PointerError> {
        if text.is_empty() {
            return Err(PointerError::Whole);
        }
        let Some(rest) = text.strip_prefix('/') else {
            return Err(PointerError::NoSlash);
        };
        let segments = rest.split('/').map(unescape).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), segments })
    }

    /// The unescaped names, outermost first.
    #[must_use]
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The pointer as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn unescape(segment: &str) -> Result<String, PointerError> {
    let mut out = String::with_capacity(segment.len());
    let mut chars = segment.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '~' { chars.next() } else { None }) {
            ('~', Some('0')) => out.push('~'),
            ('~', Some('1')) => out.push('/'),
            ('~', _) => return Err(PointerError::Escape),
            (c, _) => out.push(c),
        }
    }
    Ok(out)
}
