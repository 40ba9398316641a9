//! Users with the least permissions, as a shell script and as JSON.
//!
//! The script holds no password: `rabbitmqctl add_user` and psql's `\password` ask for it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::style::{FAINT, paint};
use crate::domain::permissions::{Access, Role};

/// What is printed.
#[derive(Debug)]
pub struct Sheet {
    /// The topology's name.
    pub topology: String,
    /// The vhost.
    pub vhost: String,
    /// The topology's exchange.
    pub exchange: String,
    /// What each role needs.
    pub roles: Vec<(Role, Access)>,
    /// Who gets it.
    pub users: Vec<User>,
    /// Scripts for the databases.
    pub stores: Vec<StoreSheet>,
}

/// One user of the broker.
#[derive(Debug)]
pub struct User {
    /// Name.
    pub name: String,
    /// What it does.
    pub roles: Vec<Role>,
    /// What it may do, for all of its roles.
    pub access: Access,
}

/// One database.
#[derive(Debug)]
pub struct StoreSheet {
    /// How plans name it.
    pub label: String,
    /// Lines for psql.
    pub script: String,
}

/// The shell script.
#[must_use]
pub fn text(sheet: &Sheet) -> String {
    let mut out = String::new();
    comment(&mut out, &format!("Topology {}: the least that each role needs.", sheet.topology));
    comment(&mut out, "Save it, run it in a terminal: passwords are asked for.");
    for user in &sheet.users {
        let roles: Vec<_> = user.roles.iter().map(|role| format!("{role} ({})", role.commands())).collect();
        out.push('\n');
        comment(&mut out, &roles.join(", "));
        for command in commands(sheet, user) {
            out.push_str(&format!("{command}\n"));
        }
    }
    let after: Vec<_> = sheet.users.iter().flat_map(|user| commands_after(sheet, user)).collect();
    if !after.is_empty() {
        out.push('\n');
        comment(&mut out, "After the first apply: topic permissions are for exchanges that exist.");
        after.iter().for_each(|command| out.push_str(&format!("{command}\n")));
    }
    for store in &sheet.stores {
        out.push('\n');
        comment(&mut out, &format!("{}, as somebody who may create roles.", store.label));
        comment(&mut out, "PGHOST, PGDATABASE and so on say where; \\password NAME sets passwords.");
        out.push_str(&format!("psql -v ON_ERROR_STOP=1 <<'SQL'\n{}SQL\n", store.script));
    }
    out
}

fn comment(out: &mut String, text: &str) {
    out.push_str(&format!("{}\n", paint(FAINT, format!("# {text}"))));
}

/// The lines that make one user.
fn commands(sheet: &Sheet, user: &User) -> Vec<String> {
    let (name, vhost) = (quote(&user.name), quote(&sheet.vhost));
    let Access { configure, write, read, tags, .. } = &user.access;
    let mut lines = vec![format!("rabbitmqctl add_user -- {name}")];
    if !tags.is_empty() {
        let tags: Vec<_> = tags.iter().copied().collect();
        lines.push(format!("rabbitmqctl set_user_tags -- {name} {}", tags.join(" ")));
    }
    let permissions = words(&[configure.regex(), write.regex(), read.regex()]);
    lines.push(format!("rabbitmqctl set_permissions -p {vhost} -- {name} {permissions}"));
    lines
}

/// The lines for after the first apply: from 4.3 on topic permissions are for exchanges that exist. Until
/// then routing keys are not limited.
fn commands_after(sheet: &Sheet, user: &User) -> Vec<String> {
    let Some(topic) = &user.access.topic else { return Vec::new() };
    let (name, vhost) = (quote(&user.name), quote(&sheet.vhost));
    let permissions = words(&[sheet.exchange.clone(), topic.write.regex(), topic.read.regex()]);
    vec![format!("rabbitmqctl set_topic_permissions -p {vhost} -- {name} {permissions}")]
}

fn words(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// One word of a POSIX shell.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[derive(Serialize)]
struct Json<'a> {
    topology: &'a str,
    vhost: &'a str,
    roles: BTreeMap<&'static str, AccessJson<'a>>,
    users: Vec<UserJson<'a>>,
    stores: Vec<StoreJson<'a>>,
}

#[derive(Serialize)]
struct AccessJson<'a> {
    configure: String,
    write: String,
    read: String,
    tags: Vec<&'static str>,
    topic: Option<TopicJson<'a>>,
}

#[derive(Serialize)]
struct TopicJson<'a> {
    exchange: &'a str,
    write: String,
    read: String,
}

#[derive(Serialize)]
struct UserJson<'a> {
    name: &'a str,
    roles: Vec<&'static str>,
    #[serde(flatten)]
    access: AccessJson<'a>,
    commands: Vec<String>,
    after_apply: Vec<String>,
}

#[derive(Serialize)]
struct StoreJson<'a> {
    store: &'a str,
    sql: Vec<&'a str>,
}

/// The same as JSON.
#[must_use]
pub fn json(sheet: &Sheet) -> String {
    super::json(&Json {
        topology: &sheet.topology,
        vhost: &sheet.vhost,
        roles: sheet.roles.iter().map(|(role, own)| (role.as_str(), access(sheet, own))).collect(),
        users: sheet.users.iter().map(|user| user_json(sheet, user)).collect(),
        stores: sheet
            .stores
            .iter()
            .map(|store| StoreJson { store: &store.label, sql: store.script.lines().collect() })
            .collect(),
    })
}

fn access<'a>(sheet: &'a Sheet, access: &Access) -> AccessJson<'a> {
    AccessJson {
        configure: access.configure.regex(),
        write: access.write.regex(),
        read: access.read.regex(),
        tags: access.tags.iter().copied().collect(),
        topic: access.topic.as_ref().map(|topic| TopicJson {
            exchange: &sheet.exchange,
            write: topic.write.regex(),
            read: topic.read.regex(),
        }),
    }
}

fn user_json<'a>(sheet: &'a Sheet, user: &'a User) -> UserJson<'a> {
    UserJson {
        name: &user.name,
        roles: user.roles.iter().map(|role| role.as_str()).collect(),
        access: access(sheet, &user.access),
        commands: commands(sheet, user),
        after_apply: commands_after(sheet, user),
    }
}
