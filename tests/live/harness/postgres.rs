//! A private PostgreSQL, shared by all tests of the run; each test makes its own [`Database`].

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::{child::Child, ports, wait::wait_blocking};

/// Starting takes about three seconds on a quiet machine.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Of the superuser `postgres`.
const PASSWORD: &str = "topo-test";

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A running server, TLS included.
#[derive(Debug)]
pub(crate) struct Postgres {
    port: u16,
    dir: PathBuf,
    _server: Child,
}

/// The server of this run.
pub(crate) fn server() -> &'static Postgres {
    static SHARED: LazyLock<Postgres> = LazyLock::new(Postgres::start);
    &SHARED
}

impl Postgres {
    fn start() -> Self {
        let bin = binaries();
        let dir = tempfile::Builder::new().prefix("topo-postgres-").tempdir().expect("a directory").keep();
        let port = ports::free();
        fs::write(dir.join("password"), PASSWORD).expect("a password file");
        certificates(&dir);
        let data = dir.join("data");
        own(&dir);
        let initdb = as_postgres(&[
            path(&bin.join("initdb")),
            "--no-sync".to_owned(),
            "--username=postgres".to_owned(),
            "--encoding=UTF8".to_owned(),
            "--locale=C.UTF-8".to_owned(),
            // Cheap for the many connections of an unoptimized build; roles with SCRAM secrets work as well.
            "--auth=md5".to_owned(),
            format!("--pwfile={}", dir.join("password").display()),
            format!("--pgdata={}", data.display()),
        ]);
        run(&initdb);
        let mut command = vec![path(&bin.join("postgres")), "-D".to_owned(), path(&data)];
        // A test's data is thrown away: what only a power cut could tell apart is left out.
        for setting in [
            format!("port={port}"),
            "listen_addresses=127.0.0.1".to_owned(),
            format!("unix_socket_directories={}", dir.display()),
            "fsync=off".to_owned(),
            "full_page_writes=off".to_owned(),
            "max_connections=200".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", dir.join("server.pem").display()),
            format!("ssl_key_file={}", dir.join("server.key").display()),
        ] {
            command.extend(["-c".to_owned(), setting]);
        }
        let command = as_postgres(&command);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        // QUIT ends it at once and lets it give its shared memory back.
        let mut child =
            Child::start(&command, &[("END_SIGNAL", "QUIT".to_owned())], Some(&dir), &dir.join("server.log"));
        wait_blocking(&format!("PostgreSQL to start in {}", dir.display()), START_LIMIT, || {
            assert!(child.exited().is_none(), "PostgreSQL did not start:\n{}", child.log_tail());
            let ready = Command::new(bin.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
                .status()
                .expect("pg_isready starts");
            ready.success().then_some(())
        });
        Self { port, dir, _server: child }
    }

    /// Port of the server.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// A PEM file with the CA that signed the server's certificate for `localhost` and `127.0.0.1`.
    pub(crate) fn ca(&self) -> PathBuf {
        self.dir.join("ca.pem")
    }

    /// A PEM file with a CA that signed nothing.
    pub(crate) fn foreign_ca(&self) -> PathBuf {
        self.dir.join("foreign.pem")
    }
}

/// A database of a test's own; it ends with the server.
#[derive(Debug)]
pub(crate) struct Database {
    name: String,
}

impl Database {
    /// A new database, named after the test.
    pub(crate) async fn fresh(name: &str) -> Self {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}-{number}");
        let postgres = Self { name: "postgres".to_owned() };
        let create = format!("CREATE DATABASE \"{name}\"");
        postgres.client().await.batch_execute(&create).await.expect("a database");
        Self { name }
    }

    /// URL of the database.
    pub(crate) fn url(&self) -> String {
        self.url_via(server().port)
    }

    /// URL through another port, such as a proxy's.
    pub(crate) fn url_via(&self, port: u16) -> String {
        format!("postgres://postgres:{PASSWORD}@127.0.0.1:{port}/{}?sslmode=disable", self.name)
    }

    /// URL without any `sslmode`.
    pub(crate) fn bare_url(&self, host: &str) -> String {
        format!("postgres://postgres:{PASSWORD}@{host}:{}/{}", server().port, self.name)
    }

    /// A connection of the test's own.
    pub(crate) async fn client(&self) -> Client {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.expect("a connection");
        tokio::spawn(connection);
        client
    }

    /// The first column of every row, as text.
    pub(crate) async fn query(&self, sql: &str) -> Vec<Option<String>> {
        let rows = self.client().await.simple_query(sql).await.expect("an answer");
        let first = |message| match message {
            SimpleQueryMessage::Row(row) => Some(row.get(0).map(str::to_owned)),
            _ => None,
        };
        rows.into_iter().filter_map(first).collect()
    }
}

/// The newest installed server's programs.
fn binaries() -> PathBuf {
    let mut found: Vec<(u32, PathBuf)> = Vec::new();
    for version in fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten() {
        let bin = version.path().join("bin");
        if bin.join("initdb").is_file() {
            let number = version.file_name().to_string_lossy().parse().unwrap_or(0);
            found.push((number, bin));
        }
    }
    for bin in ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"].map(PathBuf::from) {
        if bin.join("initdb").is_file() && bin.join("postgres").is_file() {
            found.push((0, bin));
        }
    }
    found.into_iter().max().map(|(_, bin)| bin).expect(
        "these tests start a real PostgreSQL and found none below /usr/lib/postgresql: apt-get install postgresql",
    )
}

/// The server refuses to run as root.
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id starts");
    output.stdout.starts_with(b"0\n")
}

fn own(dir: &Path) {
    if is_root() {
        run(&["chown".to_owned(), "-R".to_owned(), "postgres:".to_owned(), path(dir)]);
    }
}

fn as_postgres(command: &[String]) -> Vec<String> {
    let mut whole = Vec::new();
    if is_root() {
        whole.extend(
            ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"].map(str::to_owned),
        );
    }
    whole.extend_from_slice(command);
    whole
}

fn run(command: &[String]) {
    let output = Command::new(&command[0]).args(&command[1..]).output().expect("the command starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {error}");
}

fn path(path: &Path) -> String {
    path.to_str().expect("a UTF-8 path").to_owned()
}

fn certificates(dir: &Path) {
    let authority = || {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        (params.self_signed(&key).expect("a certificate").pem(), Issuer::new(params, key))
    };
    let ((ca, issuer), (foreign, _)) = (authority(), authority());
    let key = KeyPair::generate().expect("a key");
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let params = CertificateParams::new(names).expect("names");
    let server = params.signed_by(&key, &issuer).expect("a certificate").pem();
    let files = [
        ("ca.pem", ca),
        ("foreign.pem", foreign),
        ("server.pem", server),
        ("server.key", key.serialize_pem()),
    ];
    for (name, pem) in files {
        fs::write(dir.join(name), pem).expect("a file");
    }
    // The server refuses a key that others may read.
    run(&["chmod".to_owned(), "600".to_owned(), path(&dir.join("server.key"))]);
}
