//! What can be judged of a URL without connecting; its text is never repeated in a message.
//!
//! Real parsing belongs to the adapters. Here are the mistakes that would surprise later: the empty
//! vhost, a parameter that the client library ignores in silence, a password that ends the URL.

use std::path::Path;

/// Query parameters that the AMQP client library reads.
const AMQP_PARAMETERS: [&str; 5] =
    ["heartbeat", "frame_max", "channel_max", "auth_mechanism", "connection_timeout"];

/// Findings about one URL.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

struct Parts<'a> {
    host: &'a str,
    /// With its leading slash, or empty.
    path: &'a str,
    query: Option<&'a str>,
}

/// Splits off the scheme and looks at the rest; common to every `scheme://`.
fn split<'a>(url: &'a str, findings: &mut Findings) -> Option<Parts<'a>> {
    let (_, rest) = url.split_once("://")?;
    if rest.chars().any(|c| c.is_whitespace() || c.is_control()) {
        findings.problems.push("the URL contains white space; percent-encode it".to_owned());
        return None;
    }
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if tail.contains('@') && !authority.contains('@') {
        findings.problems.push(
            "the user or password contains \"/\", \"?\" or \"#\"; percent-encode them (%2F, %3F, %23)"
                .to_owned(),
        );
        return None;
    }
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (before, query) = match tail.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (tail, None),
    };
    Some(Parts { host, path: before, query })
}

fn host(parts: &Parts<'_>, findings: &mut Findings) {
    let (name, port) = match parts.host.rfind(']') {
        Some(end) => parts.host.split_at(end + 1),
        None => parts.host.split_at(parts.host.find(':').unwrap_or(parts.host.len())),
    };
    if name.is_empty() {
        findings.problems.push("the URL names no host".to_owned());
    }
    let port = port.strip_prefix(':').unwrap_or(port);
    if !port.is_empty() && port.parse::<u16>().is_err() {
        findings.problems.push("the URL's port is not a number below 65536".to_owned());
    }
}

/// Judges `amqp://` and `amqps://`.
pub(super) fn amqp(url: &str) -> Findings {
    let mut findings = Findings::default();
    let Some(parts) = split(url, &mut findings) else { return findings };
    host(&parts, &mut findings);
    if parts.path == "/" {
        findings.warnings.push(
            "the URL ends with \"/\" and so names the vhost with the empty name; the vhost / is written /%2f"
                .to_owned(),
        );
    }
    if parts.path.matches('/').count() > 1 {
        findings.problems.push("a \"/\" in a vhost's name is written %2f".to_owned());
    }
    for parameter in parts.query.unwrap_or("").split('&').filter(|p| !p.is_empty()) {
        let name = parameter.split('=').next().unwrap_or("");
        if !AMQP_PARAMETERS.contains(&name) {
            findings.warnings.push(format!(
                "the URL has a parameter that has no effect; known are {}; certificates stand in broker.tls",
                AMQP_PARAMETERS.join(", ")
            ));
        }
    }
    findings
}

/// Judges `http://`, `https://`, `postgres://` and `postgresql://`.
pub(super) fn web(url: &str) -> Findings {
    let mut findings = Findings::default();
    if let Some(parts) = split(url, &mut findings) {
        host(&parts, &mut findings);
    }
    findings
}

/// Whether the scheme is the one with TLS.
pub(super) fn is_amqps(url: &str) -> bool {
    url.get(..8).is_some_and(|head| head.eq_ignore_ascii_case("amqps://"))
}

/// The file of a `sqlite:` URL as a URL of the plain form, relative paths joined to `base`.
///
/// `None` for other schemes; an error says what is wrong with the file.
pub(super) fn sqlite(url: &str, base: &Path) -> Option<Result<String, &'static str>> {
    let head = url.get(..7)?;
    if !head.eq_ignore_ascii_case("sqlite:") {
        return None;
    }
    let file = &url[7..];
    // `sqlite://topo.db` and `sqlite:///var/topo.db` are what other tools write.
    let file = file.strip_prefix("//").unwrap_or(file);
    if file.is_empty() {
        return Some(Err("the URL names no file: sqlite:topo.db"));
    }
    if file.contains('?') {
        return Some(Err("parameters after the file are not supported"));
    }
    if file == ":memory:" {
        return Some(Err("a store in memory forgets what was processed; name a file"));
    }
    Some(Ok(format!("sqlite:{}", base.join(file).display())))
}
