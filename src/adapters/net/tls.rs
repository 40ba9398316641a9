//! One way to build a TLS configuration, for AMQP, the management API and PostgreSQL alike.
//!
//! Owns the roots and the client certificate. The peer is always verified: there is no switch to leave
//! that out. Never installs a process-wide crypto provider; a program that embeds this library keeps its own.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
};

/// A configuration as every adapter takes it.
pub type Shared = Arc<ClientConfig>;

/// Why a configuration can't be built.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A PEM file can't be read.
    #[error("can't read {what} {}", path.display())]
    Pem {
        /// Which of the files.
        what: FileRole,
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: pem::Error,
    },
    /// A readable file without any certificate.
    #[error("{what} {} holds no certificate", path.display())]
    Empty {
        /// Which of the files.
        what: FileRole,
        /// The file.
        path: PathBuf,
    },
    /// The system has no root certificates; name a `ca_file`.
    #[error("the system has no usable root certificates; name a CA file")]
    NoRoots,
    /// A certificate or key that rustls refuses.
    #[error("{what} can't be used")]
    Refused {
        /// Which of the files.
        what: FileRole,
        /// The reason.
        #[source]
        source: rustls::Error,
    },
    /// No protocol version that this build supports.
    #[error("TLS is not available in this build")]
    Unavailable(#[source] rustls::Error),
}

/// What a PEM file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// The roots.
    Ca,
    /// The client certificate chain.
    Certificate,
    /// The client's private key.
    Key,
}

impl fmt::Display for FileRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ca => "the CA file",
            Self::Certificate => "the certificate file",
            Self::Key => "the key file",
        })
    }
}

/// Builds a client configuration.
///
/// `ca_file` replaces the system's roots. `cert` is the client's certificate chain and its private key.
///
/// # Errors
/// A file that can't be read or used, or no roots at all.
pub fn client_config(
    ca_file: Option<&Path>,
    cert: Option<(&Path, &Path)>,
) -> Result<Arc<ClientConfig>, TlsError> {
    let roots = match ca_file {
        Some(path) => file_roots(path)?,
        None => system_roots()?,
    };
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Unavailable)?
        .with_root_certificates(roots);
    let config = match cert {
        None => builder.with_no_client_auth(),
        Some((chain, key)) => {
            let chain = certificates(FileRole::Certificate, chain)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|source| TlsError::Pem {
                what: FileRole::Key,
                path: key.to_owned(),
                source,
            })?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|source| TlsError::Refused { what: FileRole::Certificate, source })?
        }
    };
    Ok(Arc::new(config))
}

fn file_roots(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(FileRole::Ca, path)? {
        roots.add(certificate).map_err(|source| TlsError::Refused { what: FileRole::Ca, source })?;
    }
    Ok(roots)
}

/// Unreadable single certificates of the system are passed over; none at all is an error.
fn system_roots() -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    let (added, _ignored) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 { Err(TlsError::NoRoots) } else { Ok(roots) }
}

fn certificates(what: FileRole, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let pem = |source| TlsError::Pem { what, path: path.to_owned(), source };
    let certificates = CertificateDer::pem_file_iter(path)
        .map_err(pem)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| TlsError::Pem { what, path: path.to_owned(), source })?;
    if certificates.is_empty() {
        return Err(TlsError::Empty { what, path: path.to_owned() });
    }
    Ok(certificates)
}
