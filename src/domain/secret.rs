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
        Self { value: value.into(), shown: mask_url(source) }
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
        mask_url(&self.value)
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
/// The default account `guest:guest` is public knowledge and stays readable, and so does a password that
/// is a bare `${NAME}` or `${file:PATH}`. For messages, in which white space and quotes end a URL.
#[must_use]
pub fn mask(text: &str) -> String {
    mask_parameter(&mask_userinfo(text, &[' ', '\t', '\n', '"', '\'']))
}

/// Masks a text that is one URL: white space and quotes in its password do not end it.
fn mask_url(text: &str) -> String {
    mask_parameter(&mask_userinfo(text, &[]))
}

fn mask_userinfo(text: &str, ends: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        // A password may hold any unescaped delimiter, so it reaches up to the last '@'. Where that masks
        // too much, nothing is lost but comfort.
        let end = tail.find(ends).unwrap_or(tail.len());
        match tail[..end].rfind('@') {
            Some(host) => {
                push_userinfo(&tail[..host], &mut out);
                rest = &tail[host..];
            }
            None => {
                out.push_str(&tail[..end]);
                rest = &tail[end..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn push_userinfo(userinfo: &str, out: &mut String) {
    let mut depth = 0_usize;
    let colon = userinfo.char_indices().find(|(_, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == ':' && depth == 0
    });
    match colon {
        _ if userinfo == "guest:guest" => out.push_str(userinfo),
        Some((colon, _)) => {
            out.push_str(&userinfo[..=colon]);
            let password = &userinfo[colon + 1..];
            out.push_str(if is_reference(password) { password } else { "***" });
        }
        // A reference whose default may hold both user and password.
        None if userinfo.contains(':') && !is_reference(userinfo) => out.push_str("***"),
        None => out.push_str(userinfo),
    }
}

/// Whether `text` is one reference without a default: it names where a secret is, not the secret.
fn is_reference(text: &str) -> bool {
    let body = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    body.is_some_and(|body| {
        let name = body.strip_prefix("file:").unwrap_or(body);
        !name.is_empty() && !name.contains(['{', '}', '$']) && !name.contains(":-")
    })
}

fn mask_parameter(text: &str) -> String {
    const NAME: &str = "password=";
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(NAME) {
        let (head, tail) = rest.split_at(at + NAME.len());
        out.push_str(head);
        let end = tail.find(['&', ' ', '"', '\'', '\n']).unwrap_or(tail.len());
        out.push_str(if is_reference(&tail[..end]) { &tail[..end] } else { "***" });
        rest = &tail[end..];
    }
    out.push_str(rest);
    out
}
