//! A private PgBouncer in front of the tests' PostgreSQL.

use std::{fs, path::Path, process::Command, time::Duration};

use super::{child::Child, ports, postgres, wait::wait_blocking};

const PROGRAMS: [&str; 3] = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
const LIMIT: Duration = Duration::from_secs(60);

/// A running pooler.
#[derive(Debug)]
pub(crate) struct Pooler {
    port: u16,
    _server: Child,
}

impl Pooler {
    /// Pools by `session`, `transaction` or `statement`.
    pub(crate) fn start(mode: &str) -> Self {
        let Some(program) = PROGRAMS.into_iter().find(|program| Path::new(program).is_file()) else {
            panic!(
                "this test connects through a pooler and found none in {PROGRAMS:?}: apt-get install pgbouncer"
            );
        };
        let dir = tempfile::Builder::new().prefix("topo-pgbouncer-").tempdir().expect("a directory").keep();
        let (port, config) = (ports::free(), dir.join("pgbouncer.ini"));
        let server = postgres::server().port();
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = plain\nauth_file = {}\npool_mode = {mode}\n\
             ignore_startup_parameters = extra_float_digits\n",
            dir.join("users.txt").display()
        );
        fs::write(&config, text).expect("a writable directory");
        fs::write(dir.join("users.txt"), "\"postgres\" \"topo-test\"\n").expect("a writable directory");
        let mut command = vec![program.to_owned()];
        // It refuses to run as root.
        let id = Command::new("id").arg("-u").output().expect("id starts");
        if id.stdout.starts_with(b"0\n") {
            let owned = Command::new("chown").args(["-R", "postgres:"]).arg(&dir).status();
            assert!(owned.expect("chown starts").success());
            command.extend(["-u".to_owned(), "postgres".to_owned()]);
        }
        command.push(config.to_str().expect("a UTF-8 path").to_owned());
        let mut child = Child::start(&command, &[], Some(&dir), &dir.join("server.log"));
        wait_blocking("PgBouncer to start", LIMIT, || {
            assert!(child.exited().is_none(), "PgBouncer did not start:\n{}", child.log_tail());
            std::net::TcpStream::connect(("127.0.0.1", port)).ok()
        });
        Self { port, _server: child }
    }

    /// Its port.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }
}
