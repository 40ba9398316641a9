//! A private RabbitMQ: one shared by all tests of the run, or one of a test's own to stop and kill.

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

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::{child::Child, http, installation::Installation, ports, wait::wait_blocking};

/// Starting takes about five seconds on a quiet machine.
const START_LIMIT: Duration = Duration::from_secs(180);

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The broker that the tests of this run share; each test makes its own [`Vhost`].
pub(crate) fn broker() -> &'static Broker {
    static SHARED: LazyLock<Broker> = LazyLock::new(Broker::start);
    &SHARED
}

/// A running or stopped server.
#[derive(Debug)]
pub(crate) struct Broker {
    installation: &'static Installation,
    dir: PathBuf,
    env: Vec<(&'static str, String)>,
    amqp_port: u16,
    management_port: u16,
    server: Option<Child>,
    node: String,
    epmd_port: u16,
    // Dropped after the server; another node's is used beside it.
    _epmd: Option<Child>,
}

impl Broker {
    /// Starts a server of its own.
    pub(crate) fn start() -> Self {
        Self::start_with("")
    }

    /// Starts another node and makes it a member of this node's cluster.
    pub(crate) fn start_member(&self) -> Self {
        let member = Self::start_node("", Some(self));
        for args in [&["stop_app"][..], &["join_cluster", &self.node], &["start_app"]] {
            member.ctl(args);
        }
        member
    }

    /// Its name in the cluster.
    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    /// Starts a server of its own with more lines in its rabbitmq.conf.
    pub(crate) fn start_with(config: &str) -> Self {
        Self::start_node(config, None)
    }

    /// A node of its own, or one that knows the names and the cookie of `beside`.
    fn start_node(config: &str, beside: Option<&Self>) -> Self {
        let installation = Installation::of_this_run();
        let dir = tempfile::Builder::new().prefix("topo-rabbitmq-").tempdir().expect("a directory").keep();
        let [amqp_port, management_port, dist_port] = [(); 3].map(|()| ports::free());
        let epmd_port = beside.map_or_else(ports::free, |first| first.epmd_port);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let node = format!("topo-{}-{number}@localhost", std::process::id());
        let env = environment(&dir, &node, dist_port, epmd_port);
        configure(&dir, amqp_port, management_port, config);
        if let Some(first) = beside {
            // Its mode goes with it, which the node insists on.
            fs::copy(first.dir.join(".erlang.cookie"), dir.join(".erlang.cookie")).expect("a cookie");
        }
        let epmd = beside.is_none().then(|| start_epmd(installation, epmd_port, &dir));
        let mut broker = Self {
            installation,
            dir,
            env,
            amqp_port,
            management_port,
            server: None,
            node,
            epmd_port,
            _epmd: epmd,
        };
        broker.start_again();
        broker
    }

    /// Starts it after [`Self::stop`] or [`Self::kill`], with the same data and ports.
    pub(crate) fn start_again(&mut self) {
        assert!(self.server.is_none(), "the broker runs");
        let command = self.installation.script("rabbitmq-server");
        let mut server = Child::start(&command, &self.env, Some(&self.dir), &self.dir.join("server.log"));
        let port = self.management_port;
        wait_blocking(&format!("RabbitMQ to start in {}", self.dir.display()), START_LIMIT, || {
            assert!(server.exited().is_none(), "RabbitMQ did not start:\n{}", server.log_tail());
            let path = format!("/api/health/checks/port-listener/{}", self.amqp_port);
            http::request(port, "GET", &path, "").filter(|(status, _)| *status == 200)
        });
        self.server = Some(server);
    }

    /// Stops it in order.
    pub(crate) fn stop(&mut self) {
        let mut server = self.server.take().expect("the broker runs");
        server.signal("TERM");
        server.wait(START_LIMIT);
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let mut server = self.server.take().expect("the broker runs");
        server.signal("KILL");
        server.wait(START_LIMIT);
    }

    /// Runs `rabbitmqctl` on it and gives what it printed.
    pub(crate) fn ctl(&self, args: &[&str]) -> String {
        self.tool("rabbitmqctl", args)
    }

    /// Runs one of the server's tools on it and gives what it printed.
    pub(crate) fn tool(&self, name: &str, args: &[&str]) -> String {
        let command = self.installation.script(name);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .args(args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("the tool starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} {args:?}: {text}{error}");
        text
    }

    /// One request to the management API as guest: status and body.
    pub(crate) fn management(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        http::request(self.management_port, method, path, body).expect("the management API answers")
    }

    /// Its version, such as `(4, 3)`, for what truly differs between brokers.
    pub(crate) fn version(&self) -> (u32, u32) {
        let (_, overview) = self.management("GET", "/api/overview", "");
        let overview: serde_json::Value = serde_json::from_str(&overview).expect("JSON");
        let version = overview["rabbitmq_version"].as_str().expect("a version");
        let mut numbers = version.split('.').map_while(|part| part.parse().ok());
        let mut next = || numbers.next().unwrap_or_else(|| panic!("a version of two numbers: {version:?}"));
        (next(), next())
    }

    /// Port of AMQP, without TLS.
    pub(crate) const fn amqp_port(&self) -> u16 {
        self.amqp_port
    }

    /// Port of the management API.
    pub(crate) const fn management_port(&self) -> u16 {
        self.management_port
    }

    /// URL of the management API.
    pub(crate) fn management_url(&self) -> String {
        format!("http://guest:guest@127.0.0.1:{}", self.management_port)
    }

    /// A new vhost, named after the test, with full permissions for guest.
    pub(crate) fn vhost(&self, name: &str) -> Vhost<'_> {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}-{number}");
        let encoded = encode(&name);
        let (status, answer) = self.management("PUT", &format!("/api/vhosts/{encoded}"), "{}");
        assert_eq!(status, 201, "vhost {name:?}: {answer}");
        let all = r#"{"configure":".*","write":".*","read":".*"}"#;
        let (status, answer) = self.management("PUT", &format!("/api/permissions/{encoded}/guest"), all);
        assert!(status == 201 || status == 204, "permissions on {name:?}: {answer}");
        Vhost { broker: self, name }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        // A running server's watcher removes the directory; this is for a stopped one.
        if self.server.take().is_none() && !std::thread::panicking() {
            drop(fs::remove_dir_all(&self.dir));
        }
    }
}

/// A vhost, deleted with everything in it when dropped.
#[derive(Debug)]
pub(crate) struct Vhost<'a> {
    broker: &'a Broker,
    name: String,
}

impl Vhost<'static> {
    /// A new vhost of the shared broker.
    pub(crate) fn fresh(name: &str) -> Self {
        broker().vhost(name)
    }
}

impl Vhost<'_> {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its broker.
    pub(crate) const fn broker(&self) -> &Broker {
        self.broker
    }

    /// URL for AMQP.
    pub(crate) fn amqp_url(&self) -> String {
        self.amqp_url_via(self.broker.amqp_port)
    }

    /// URL for AMQP through another port, such as a proxy's.
    pub(crate) fn amqp_url_via(&self, port: u16) -> String {
        format!("amqp://guest:guest@127.0.0.1:{port}/{}", encode(&self.name))
    }

    /// URL of the management API.
    pub(crate) fn management_url(&self) -> String {
        self.broker.management_url()
    }

    /// One request below `/api/KIND/VHOST`, such as `("GET", "queues", "/orders", "")`.
    pub(crate) fn management(&self, method: &str, kind: &str, rest: &str, body: &str) -> (u16, String) {
        self.broker.management(method, &format!("/api/{kind}/{}{rest}", encode(&self.name)), body)
    }
}

impl Drop for Vhost<'_> {
    fn drop(&mut self) {
        let path = format!("/api/vhosts/{}", encode(&self.name));
        drop(http::request(self.broker.management_port, "DELETE", &path, ""));
    }
}

/// Percent-encodes one path segment.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// An epmd of our own in the foreground: the node would start one that outlives it.
fn start_epmd(installation: &Installation, port: u16, dir: &Path) -> Child {
    let mut command = installation.program("epmd");
    let port = port.to_string();
    command.extend(["-relaxed_command_check", "-address", "127.0.0.1", "-port", &port].map(str::to_owned));
    Child::start(&command, &[], None, &dir.join("epmd.log"))
}

fn environment(dir: &Path, node: &str, dist_port: u16, epmd_port: u16) -> Vec<(&'static str, String)> {
    let path = |name: &str| dir.join(name).to_str().expect("a UTF-8 path").to_owned();
    vec![
        ("HOME", path("")),
        ("ERL_EPMD_PORT", epmd_port.to_string()),
        ("ERL_EPMD_ADDRESS", "127.0.0.1".to_owned()),
        ("RABBITMQ_NODENAME", node.to_owned()),
        ("RABBITMQ_DIST_PORT", dist_port.to_string()),
        ("RABBITMQ_CONF_ENV_FILE", path("rabbitmq-env.conf")),
        ("RABBITMQ_CONFIG_FILE", path("rabbitmq.conf")),
        ("RABBITMQ_ADVANCED_CONFIG_FILE", path("advanced.config")),
        ("RABBITMQ_GENERATED_CONFIG_DIR", path("config")),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", path("enabled_plugins")),
        ("RABBITMQ_MNESIA_BASE", path("mnesia")),
        ("RABBITMQ_LOG_BASE", path("log")),
        ("RABBITMQ_PID_FILE", path("pid")),
        // Makes the script replace itself by the server, so that signals reach it.
        ("RUNNING_UNDER_SYSTEMD", "true".to_owned()),
        (
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            "+S 2:2 -kernel inet_dist_use_interface {127,0,0,1}".to_owned(),
        ),
    ]
}

fn configure(dir: &Path, amqp_port: u16, management_port: u16, more: &str) {
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("a writable directory");
    write("rabbitmq-env.conf", "");
    write("enabled_plugins", "[rabbitmq_management].\n");
    write(
        "rabbitmq.conf",
        &format!(
            "listeners.tcp.1 = 127.0.0.1:{amqp_port}\n\
             management.tcp.ip = 127.0.0.1\n\
             management.tcp.port = {management_port}\n\
             collect_statistics_interval = 1000\n\
             disk_free_limit.absolute = 10MB\n\
             raft.wal_max_size_bytes = 33554432\n\
             log.console = false\n\
             log.file.level = info\n\
             {more}"
        ),
    );
}
