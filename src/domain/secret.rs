//! Text that may hold a password: connection URLs and files named in `${file:…}`.
//!
//! Neither `Debug` nor `Display` can print the value. What can be shown is the text as it stood in the
//! file before expansion, so `${TOPO_BROKER_URL}` stays itself, with a literal password masked.

use std::fmt;

/// A value that is never printed, with a form that may be.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    value: String,
    shown: String,
}

impl Secret {
    /// Keeps `value`; `source` is the text as written in the file, shown after masking URL passwords.
    #[must_use]
    pub fn new(value: impl Into<String>, source: &str) -> Self {
        Self { value: value.into(), shown: mask(source) }
    }

    /// The value itself, for the adapter that connects with it and nobody else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// The printable form: unexpanded, with passwords masked.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The value with its password masked: where a connection goes, safe for messages.
    #[must_use]
    pub fn masked(&self) -> String {
        mask(&self.value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret({})", self.shown)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// Replaces the password of every `scheme://user:password@` in `text` by `***`, and the value of a
/// `password=` parameter too.
///
/// The default account `guest:guest` is public knowledge and stays readable.
#[must_use]
pub fn mask(text: &str) -> String {
    mask_parameter(&mask_userinfo(text))
}

fn mask_userinfo(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        // The authority ends at a delimiter; a password with an unescaped '@' belongs to it up to the last one.
        let end = tail.find(['/', '?', '#', ' ', '"', '\'', '\n']).unwrap_or(tail.len());
        let authority = &tail[..end];
        match authority.rfind('@').and_then(|host| authority[..host].find(':').map(|colon| (colon, host))) {
            Some((colon, host)) if &authority[..host] != "guest:guest" => {
                out.push_str(&authority[..=colon]);
                out.push_str("***");
                out.push_str(&authority[host..]);
            }
            _ => out.push_str(authority),
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}

fn mask_parameter(text: &str) -> String {
    const NAME: &str = "password=";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (head, tail) = rest.split_at(at + NAME.len());
        out.push_str(head);
        out.push_str("***");
        let end = tail.find(['&', ' ', '"', '\'', '\n']).unwrap_or(tail.len());
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}
