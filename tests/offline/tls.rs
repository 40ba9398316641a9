//! TLS configurations from files: what is accepted, and what is named when it is not.

use std::{fs, path::PathBuf};

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;
use topo::adapters::net::tls::{FileRole, TlsError, client_config};

struct Files {
    _dir: TempDir,
    cert: PathBuf,
    key: PathBuf,
    text: PathBuf,
}

fn files() -> Files {
    let dir = tempfile::tempdir().unwrap();
    let pair = KeyPair::generate().unwrap();
    let cert = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&pair).unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("cert.pem"), cert.pem()).unwrap();
    fs::write(path("key.pem"), pair.serialize_pem()).unwrap();
    fs::write(path("text"), "nothing of interest").unwrap();
    Files { cert: path("cert.pem"), key: path("key.pem"), text: path("text"), _dir: dir }
}

#[test]
fn a_ca_file_and_a_client_certificate_are_accepted() {
    let f = files();
    client_config(Some(&f.cert), None).unwrap();
    client_config(Some(&f.cert), Some((&f.cert, &f.key))).unwrap();
}

#[test]
fn a_file_that_is_missing_is_named_with_its_role() {
    let f = files();
    let gone = f.cert.with_file_name("gone.pem");
    let error = client_config(Some(&gone), None).unwrap_err();
    assert!(error.to_string().contains("gone.pem"), "{error}");
    assert!(matches!(error, TlsError::Pem { what: FileRole::Ca, .. }));
    let error = client_config(Some(&f.cert), Some((&f.cert, &gone))).unwrap_err();
    assert!(matches!(error, TlsError::Pem { what: FileRole::Key, .. }));
}

#[test]
fn a_ca_file_without_certificates_is_no_trust_at_all() {
    let f = files();
    let error = client_config(Some(&f.text), None).unwrap_err();
    assert!(matches!(error, TlsError::Empty { what: FileRole::Ca, .. }), "{error}");
}

#[test]
fn a_certificate_with_a_foreign_key_is_refused() {
    let (f, other) = (files(), files());
    let error = client_config(Some(&f.cert), Some((&f.cert, &other.key))).unwrap_err();
    assert!(matches!(error, TlsError::Refused { .. }), "{error}");
}
