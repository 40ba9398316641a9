//! `${NAME}`, `${NAME:-default}`, `${file:PATH}` and `$$` in string values.
//!
//! Works on a value after YAML was parsed, so an expanded text can never add keys or change the file's
//! structure, and is not expanded again. A lone `$` stays. Braces inside a default are counted, so a
//! default may hold `${…}` or a name template.
//!
//! Errors name variables and paths as written, never what they expanded to.

use std::{fs, path::Path};

/// Looks up an environment variable; handed in because only `cli` reads the environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// `${` inside `${` inside … deeper than this is a mistake.
const DEPTH_MAX: usize = 16;
/// A secret file is small; a larger one is the wrong file.
const FILE_MAX: u64 = 1 << 20;

/// An expanded text.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Expanded {
    pub value: String,
    /// Whether anything was replaced: then `value` is never shown.
    pub replaced: bool,
}

/// Why a text can't be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Error {
    /// `${` without its `}`.
    #[error("\"${{\" without \"}}\"")]
    Open,
    /// Something else than a name, `file:` or `:-` in the braces.
    #[error(
        "unknown form in \"${{…}}\"; known are ${{NAME}}, ${{NAME:-default}}, ${{file:PATH}}, and $$ for a $"
    )]
    Form,
    /// The variable is not set and has no default.
    #[error("the environment variable {0} is not set; give it a value, or a default: ${{{0}:-…}}")]
    Unset(String),
    /// The file can't be read.
    #[error("can't read the file of ${{file:{path}}}: {reason}")]
    File {
        /// The path as written.
        path: String,
        /// Why.
        reason: String,
    },
    /// Nested too deep.
    #[error("\"${{…}}\" is nested too deep")]
    Deep,
}

/// Expands `text`; relative paths of `${file:…}` begin at `base`.
pub(super) fn expand(text: &str, base: &Path, env: Env<'_>) -> Result<Expanded, Error> {
    let mut out = Expanded { value: String::with_capacity(text.len()), replaced: false };
    append(text, base, env, &mut out, 0)?;
    Ok(out)
}

fn append(text: &str, base: &Path, env: Env<'_>, out: &mut Expanded, depth: usize) -> Result<(), Error> {
    if depth > DEPTH_MAX {
        return Err(Error::Deep);
    }
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.value.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        if let Some(after) = tail.strip_prefix('$') {
            out.value.push('$');
            out.replaced = true;
            rest = after;
        } else if let Some(inner) = tail.strip_prefix('{') {
            let end = closing(inner).ok_or(Error::Open)?;
            out.replaced = true;
            reference(&inner[..end], base, env, out, depth)?;
            rest = &inner[end + 1..];
        } else {
            out.value.push('$');
            rest = tail;
        }
    }
    out.value.push_str(rest);
    Ok(())
}

/// The position of the brace that closes the one before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

fn reference(body: &str, base: &Path, env: Env<'_>, out: &mut Expanded, depth: usize) -> Result<(), Error> {
    if let Some(written) = body.strip_prefix("file:") {
        let mut path = Expanded { value: String::new(), replaced: false };
        append(written, base, env, &mut path, depth + 1)?;
        out.value.push_str(&read(&base.join(&path.value), written)?);
        return Ok(());
    }
    let (name, default) = match body.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (body, None),
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Error::Form);
    }
    match (env(name), default) {
        (Some(value), None) => out.value.push_str(&value),
        // As in a shell, ":-" also replaces an empty value.
        (Some(value), Some(_)) if !value.is_empty() => out.value.push_str(&value),
        (_, Some(default)) => append(default, base, env, out, depth + 1)?,
        (None, None) => return Err(Error::Unset(name.to_owned())),
    }
    Ok(())
}

fn read(path: &Path, written: &str) -> Result<String, Error> {
    let failed = |reason: String| Error::File { path: written.to_owned(), reason };
    let length = fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if length > FILE_MAX {
        return Err(failed("it is larger than 1 MiB".to_owned()));
    }
    let mut text = fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    // Editors and `echo` end a file with a newline that is no part of the secret.
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}
