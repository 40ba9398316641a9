//! The store's URL: what libpq understands and the client library does not.
//!
//! `sslmode=verify-ca|verify-full`, `sslrootcert`, `sslcert` and `sslkey` are taken out and handled here.
//! Whenever TLS is used the server is verified, name included: `require` is no weaker than `verify-full`.

use std::{path::PathBuf, str::FromStr, time::Duration};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

use crate::{
    domain::secret::Secret,
    ports::store::{StoreError, StoreKind},
};

/// Files for TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TlsFiles {
    pub(super) ca: Option<PathBuf>,
    pub(super) cert: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// Reads the URL and fills in what keeps a connection honest.
pub(super) fn parse(url: &Secret) -> Result<(Config, TlsFiles), StoreError> {
    let text = url.expose();
    if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
        return Err(StoreError::new(StoreKind::Refused, "store.url must begin with postgres:// or sqlite:"));
    }
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    let mut tls = TlsFiles::default();
    let mut mode = None;
    let mut kept = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match name {
            "sslmode" => mode = Some(ssl_mode(value)?),
            "sslrootcert" if value == "system" => tls.ca = None,
            "sslrootcert" => tls.ca = Some(decode(value)),
            "sslcert" => tls.cert = Some(decode(value)),
            "sslkey" => tls.key = Some(decode(value)),
            _ => kept.push(pair),
        }
    }
    let given = |name: &str| kept.iter().any(|pair| pair.split('=').next() == Some(name));
    let joined = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
    let mut config = Config::from_str(&joined)
        .map_err(|error| StoreError::because(StoreKind::Refused, "store.url can't be read", error))?;
    // Naming roots asks for TLS.
    let default = if tls.ca.is_some() { SslMode::Require } else { SslMode::Prefer };
    config.ssl_mode(mode.unwrap_or(default));
    if !given("target_session_attrs") {
        // After a fail-over the old primary is read-only (T126).
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
    if !given("connect_timeout") {
        config.connect_timeout(Duration::from_secs(10));
    }
    if !given("application_name") {
        config.application_name("topo");
    }
    if !given("keepalives_idle") {
        config.keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
    }
    if !given("tcp_user_timeout") {
        config.tcp_user_timeout(Duration::from_secs(20));
    }
    Ok((config, tls))
}

fn decode(value: &str) -> PathBuf {
    percent_decode_str(value).decode_utf8_lossy().into_owned().into()
}

fn ssl_mode(value: &str) -> Result<SslMode, StoreError> {
    match value {
        "disable" => Ok(SslMode::Disable),
        "prefer" => Ok(SslMode::Prefer),
        "require" | "verify-ca" | "verify-full" => Ok(SslMode::Require),
        _ => Err(StoreError::new(
            StoreKind::Refused,
            "sslmode of store.url is one of disable, prefer, require, verify-ca, verify-full",
        )),
    }
}
