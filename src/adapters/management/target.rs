//! Where the management API is, and as whom it is asked.
//!
//! What the management URL leaves out comes from the broker's AMQP URL: user, password and vhost; without a
//! management URL also the host, on port 15672, or 15671 with https for amqps.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;

use crate::{
    domain::secret::Secret,
    ports::link::{LinkError, LinkKind},
};

/// What stays readable in a path segment (RFC 3986, unreserved).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The account that the client uses when the URL names none, as AMQP clients do.
const DEFAULT_ACCOUNT: &str = "guest";

/// Address and login.
#[derive(Clone)]
pub struct Target {
    base: String,
    user: String,
    password: String,
    vhost: String,
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Target").field("base", &self.base).field("vhost", &self.vhost).finish_non_exhaustive()
    }
}

impl Target {
    /// Reads both URLs.
    ///
    /// # Errors
    /// One of them is no URL of its kind.
    pub fn new(broker: &Secret, management: Option<&Secret>) -> Result<Self, LinkError> {
        let amqp = parse(broker, &["amqp", "amqps"])?;
        let api = management.map(|url| parse(url, &["http", "https"])).transpose()?;
        let login = api.as_ref().filter(|url| !url.username().is_empty()).unwrap_or(&amqp);
        let or_guest = |text: String| if text.is_empty() { DEFAULT_ACCOUNT.to_owned() } else { text };
        let base = match &api {
            Some(url) => format!(
                "{}://{}{}",
                url.scheme(),
                authority(url, url.port()),
                url.path().trim_end_matches('/')
            ),
            None if amqp.scheme() == "amqps" => format!("https://{}", authority(&amqp, Some(15671))),
            None => format!("http://{}", authority(&amqp, Some(15672))),
        };
        Ok(Self {
            base,
            user: or_guest(decode(login.username())),
            password: or_guest(decode(login.password().unwrap_or_default())),
            vhost: vhost(&amqp),
        })
    }

    /// Scheme, host, port and path prefix; no login.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// User name.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The vhost's name, decoded.
    #[must_use]
    pub fn vhost(&self) -> &str {
        &self.vhost
    }

    pub(super) fn password(&self) -> &str {
        &self.password
    }

    /// The URL of a resource; every segment is encoded, so names may hold any character.
    #[must_use]
    pub fn url(&self, segments: &[&str]) -> String {
        let path: String = segments.iter().map(|s| format!("/{}", utf8_percent_encode(s, SEGMENT))).collect();
        format!("{}/api{path}", self.base)
    }
}

fn parse(url: &Secret, schemes: &[&str]) -> Result<Url, LinkError> {
    // Without a scheme nobody can tell which part is the password.
    let shown = if url.expose().contains("://") { url.masked() } else { "the broker's URL".to_owned() };
    let wrong = |text: String| LinkError::new(LinkKind::Protocol, format!("{shown}: {text}"));
    let parsed = Url::parse(url.expose()).map_err(|error| wrong(error.to_string()))?;
    if !schemes.contains(&parsed.scheme()) {
        return Err(wrong(format!("the scheme must be {}", schemes.join(" or "))));
    }
    Ok(parsed)
}

fn authority(url: &Url, port: Option<u16>) -> String {
    let host = url.host_str().filter(|host| !host.is_empty()).unwrap_or("localhost");
    port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// No path is the vhost `/`, an empty path is the vhost with the empty name.
fn vhost(amqp: &Url) -> String {
    match amqp.path().strip_prefix('/') {
        Some(name) => decode(name),
        None => "/".to_owned(),
    }
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
