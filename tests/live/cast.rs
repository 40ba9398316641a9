//! The users of one topology, made from what `topo permissions` prints.

use std::{collections::BTreeMap, process::Command};

use serde_json::Value;

use crate::harness::{
    rabbitmq::{Vhost, encode},
    topo::{Finished, Workdir},
};

pub(crate) const PASSWORD: &str = "pl4nted";

/// The users of a topology, each with a working directory of its own over one common store.
pub(crate) struct Cast<'a> {
    vhost: &'a Vhost<'a>,
    users: BTreeMap<String, Workdir>,
    names: Vec<String>,
    after_apply: Vec<Vec<String>>,
}

/// The arguments of a shown command, as a shell reads them.
fn arguments(command: &str) -> Vec<String> {
    let script = format!("rabbitmqctl() {{ printf '%s\\0' \"$@\"; }}; {command}");
    let output = Command::new("sh").arg("-c").arg(script).output().expect("a shell starts");
    assert!(output.status.success(), "{command}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.split_terminator('\0').map(str::to_owned).collect()
}

fn ctl(vhost: &Vhost<'_>, arguments: &[String]) {
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    vhost.broker().ctl(&arguments);
}

impl<'a> Cast<'a> {
    async fn new(
        vhost: &'a Vhost<'a>,
        files: &[(&str, &str)],
        store: &dyn Fn(&str) -> String,
        args: &[&str],
    ) -> Self {
        let base = vhost.management_url();
        let management = base.replacen("guest:guest@", "", 1);
        let workdir = |user: &str, login: &str| {
            let amqp = vhost.amqp_url().replacen("guest:guest@", &format!("{login}@"), 1);
            let work = Workdir::new()
                .env("TOPO_BROKER_URL", &amqp)
                .env("TOPO_MANAGEMENT_URL", &management)
                .env("TOPO_STORE_URL", &store(user));
            files.iter().fold(work, |work, (name, text)| work.file(name, text))
        };
        let admin = workdir("guest", "guest:guest");
        let whole = [&["permissions", "-o", "json"], args].concat();
        let sheet = json(&admin.topo(&whole).await.expect_code(0));
        let (mut users, mut names) = (BTreeMap::from([("admin".to_owned(), admin)]), Vec::new());
        let mut after_apply = Vec::new();
        for user in sheet["users"].as_array().expect("users") {
            let name = user["name"].as_str().expect("a name").to_owned();
            let commands = |when: &str| user[when].as_array().expect("commands").clone();
            let words = |command: Value| arguments(command.as_str().expect("a command"));
            after_apply.extend(commands("after_apply").into_iter().map(words));
            for command in commands("commands") {
                let mut arguments = words(command);
                // The password would be asked for.
                arguments.extend((arguments[0] == "add_user").then(|| PASSWORD.to_owned()));
                ctl(vhost, &arguments);
            }
            let roles = user["roles"].as_array().expect("roles").iter().filter_map(Value::as_str);
            let role = roles.collect::<Vec<_>>().join("+");
            users.insert(role, workdir(&name, &format!("{}:{PASSWORD}", encode(&name))));
            names.push(name);
        }
        Self { vhost, users, names, after_apply }
    }

    /// Does what is printed for after the first apply.
    pub(crate) fn after_apply(&self) {
        self.after_apply.iter().for_each(|arguments| ctl(self.vhost, arguments));
    }

    /// Writes a file for the user of this role.
    pub(crate) fn write(&self, role: &str, name: &str, text: &str) {
        std::fs::write(self.users[role].path().join(name), text).expect("a writable directory");
    }

    /// Runs `topo` as a user of this role.
    pub(crate) async fn topo(&self, role: &str, args: &[&str]) -> Finished {
        self.users[role].topo(args).await
    }
}

impl Drop for Cast<'_> {
    fn drop(&mut self) {
        for name in &self.names {
            self.vhost.broker().management("DELETE", &format!("/api/users/{}", encode(name)), "");
        }
    }
}

/// The document on standard output.
pub(crate) fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}\n{finished:?}"))
}

const CONSUMER: &str = "INSERT INTO seen (id) VALUES (:message_id);\n";
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS seen (id text PRIMARY KEY);\n";
const LINES: &str =
    "{\"id\":\"m1\",\"key\":\"a\"}\n{\"id\":\"m2\",\"key\":\"b\"}\n{\"id\":\"m3\",\"key\":\"a\"}\n";

fn files(topology: &str) -> Vec<(&'static str, String)> {
    vec![
        ("topology.yaml", topology.to_owned()),
        ("consumers/ledger/handler.sql", CONSUMER.to_owned()),
        ("consumers/ledger/schema.sql", SCHEMA.to_owned()),
        ("lines.jsonl", LINES.to_owned()),
    ]
}

/// A topology with three shards.
pub(crate) fn plain(name: &str) -> String {
    format!("topology: {name}\nshards: 3\nkey: /key\nmessage: {{id: /id}}\n")
}

/// The users that `topo permissions` with `args` prints; `store` gives the store's URL for a user of that name.
pub(crate) async fn cast<'a>(
    vhost: &'a Vhost<'a>,
    topology: &str,
    store: &dyn Fn(&str) -> String,
    args: &[&str],
) -> Cast<'a> {
    let files = files(topology);
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Cast::new(vhost, &files, store, args).await
}

/// One file for everybody.
pub(crate) fn sqlite(dir: &tempfile::TempDir) -> impl Fn(&str) -> String {
    let url = format!("sqlite:{}", dir.path().join("topo.db").display());
    move |_| url.clone()
}
