//! Users made from what `topo permissions` prints: each can do exactly its job with topo's own commands.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    cast::{Cast, PASSWORD, cast, json, plain, sqlite},
    harness::{postgres::Database, rabbitmq::Vhost},
};

/// Plan, apply, publish, consume, look: each by the user whose job it is.
async fn everyone_does_their_job(cast: &Cast<'_>) {
    cast.topo("declarator", &["plan"]).await.expect_code(3);
    cast.topo("declarator", &["apply", "--yes"]).await.expect_code(0);
    cast.after_apply();
    cast.topo("declarator", &["plan"]).await.expect_code(0);
    cast.topo("producer", &["publish", "lines.jsonl"]).await.expect_code(0);
    let waiting = json(&cast.topo("observer", &["status", "-o", "json"]).await.expect_code(0));
    assert_eq!(waiting["shards"].as_array().map(Vec::len), Some(3));
    let args = ["consume", "--all", "--until-empty", "-o", "json"];
    for committed in [3, 0] {
        let consumed = json(&cast.topo("consumer", &args).await.expect_code(0));
        assert_eq!(consumed["committed"], committed, "{consumed}");
    }
    cast.topo("observer", &["plan"]).await.expect_code(0);
    cast.topo("observer", &["status", "--check"]).await.expect_code(0);
}

#[tokio::test]
async fn each_role_can_do_its_job_and_no_other() {
    let vhost = Vhost::fresh("roles");
    let dir = tempfile::tempdir().expect("a directory");
    let cast = cast(&vhost, &plain("roles"), &sqlite(&dir), &[]).await;
    everyone_does_their_job(&cast).await;

    for (role, args) in [
        ("producer", &["consume", "--all", "--until-empty"][..]),
        ("observer", &["consume", "--all", "--until-empty"]),
        ("consumer", &["publish", "lines.jsonl"]),
        ("observer", &["publish", "lines.jsonl"]),
    ] {
        let refused = cast.topo(role, args).await;
        assert_eq!(refused.status.code(), Some(1), "{role} {args:?}: {refused:?}");
        assert!(refused.stderr.contains("error[TOPO0602]"), "{role} {args:?}: {}", refused.stderr);
    }
    let queue = "/roles.ledger.g1.1";
    assert_eq!(vhost.management("DELETE", "queues", queue, "").0, 204);
    for role in ["producer", "consumer", "observer"] {
        let refused = cast.topo(role, &["apply", "--yes"]).await;
        assert_ne!(refused.status.code(), Some(0), "{role}: {refused:?}");
        assert_eq!(vhost.management("GET", "queues", queue, "").0, 404, "{role} made a queue");
    }
    cast.topo("declarator", &["apply", "--yes"]).await.expect_code(0);
    // Limits of existing queues are carried by a policy, which the tag lets the declarator set.
    cast.write("declarator", "limited.yaml", &format!("{}queues: {{max_length: 1000}}\n", plain("roles")));
    cast.topo("declarator", &["-f", "limited.yaml", "apply", "--yes"]).await.expect_code(0);
    assert!(vhost.management("GET", "policies", "", "").1.contains("max-length"));
    // The next generation needs no new permissions; another topology's names are closed.
    cast.write("declarator", "next.yaml", "topology: roles\nshards: {count: 4, generation: 2, key: /key}\n");
    cast.write("declarator", "other.yaml", &plain("rolesX"));
    // The queues of the first generation are left alone, which is said by the exit code.
    cast.topo("declarator", &["-f", "next.yaml", "apply", "--yes"]).await.expect_code(3);
    assert_eq!(vhost.management("GET", "queues", "/roles.ledger.g2.3", "").0, 200);
    let other = cast.topo("declarator", &["-f", "other.yaml", "apply", "--yes"]).await.expect_code(1);
    assert!(other.stderr.contains("error[TOPO0602]"), "{}", other.stderr);
}

#[tokio::test]
async fn topic_exchanges_and_names_with_any_character_work() {
    let vhost = Vhost::fresh("Rollen /%2f \"'日");
    let dir = tempfile::tempdir().expect("a directory");
    let name = "o|r.d+e(r)s %25 'q' \\\"d\\\" [ü] 日$";
    let topology = format!("{}exchange: {{type: topic}}\n", plain(&format!("\"{name}\"")));
    let cast = cast(&vhost, &topology, &sqlite(&dir), &[]).await;
    everyone_does_their_job(&cast).await;
    let refused = cast.topo("consumer", &["publish", "lines.jsonl"]).await.expect_code(1);
    assert!(refused.stderr.contains("error[TOPO0602]"), "{}", refused.stderr);
}

#[tokio::test]
async fn one_user_can_have_several_roles() {
    let vhost = Vhost::fresh("several");
    let dir = tempfile::tempdir().expect("a directory");
    let args = ["--user=-app's", "--role", "producer", "--role", "consumer"];
    let cast = cast(&vhost, &plain("several"), &sqlite(&dir), &args).await;
    cast.topo("admin", &["apply", "--yes"]).await.expect_code(0);
    cast.topo("producer+consumer", &["publish", "lines.jsonl"]).await.expect_code(0);
    cast.topo("producer+consumer", &["consume", "--all", "--until-empty"]).await.expect_code(0);
}

/// Runs a script in psql, as the superuser.
fn psql(database: &Database, script: &str) {
    let mut child = Command::new("psql")
        .args(["-q", "-v", "ON_ERROR_STOP=1", "-d", &database.url()])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("psql starts; it comes with the server's packages");
    child.stdin.take().expect("piped").write_all(script.as_bytes()).expect("psql reads");
    let output = child.wait_with_output().expect("psql ends");
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn database_roles_have_their_job_s_rights_and_no_more() {
    let vhost = Vhost::fresh("database-roles");
    let database = Database::fresh("roles").await;
    let store = |user: &str| match user {
        "guest" => database.url(),
        user => database.url().replacen("postgres:topo-test@", &format!("{user}:{PASSWORD}@"), 1),
    };
    let cast = cast(&vhost, &plain("pgroles"), &store, &[]).await;
    let sheet = json(&cast.topo("admin", &["permissions", "-o", "json"]).await.expect_code(0));
    let lines: Vec<_> =
        sheet["stores"][0]["sql"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let users = ["declarator", "consumer", "observer"].map(|role| format!("pgroles-{role}"));
    // Twice: on what is there it changes nothing.
    for _ in 0..2 {
        psql(&database, &lines.join("\n"));
    }
    for user in &users {
        psql(&database, &format!("ALTER ROLE \"{user}\" PASSWORD '{PASSWORD}'"));
    }
    everyone_does_their_job(&cast).await;
    psql(&database, &lines.join("\n"));

    let denied = |user: &str, sql: &str| {
        let attempt = Command::new("psql").args(["-q", "-d", &store(user), "-c", sql]).output();
        let error = String::from_utf8(attempt.expect("psql starts").stderr).expect("UTF-8");
        assert!(
            error.contains("permission denied") || error.contains("must be owner"),
            "{user} {sql}: {error}"
        );
    };
    let [declarator, consumer, observer] = &users;
    for sql in [
        "DROP TABLE topo.processed_messages",
        "CREATE TABLE topo.more (id int)",
        "CREATE TABLE more (id int)",
    ] {
        denied(consumer, sql);
        denied(observer, sql);
    }
    denied(observer, "INSERT INTO topo.schema_version (version, applied_at) VALUES (9, now())");
    denied(observer, "DELETE FROM seen");
    denied(declarator, "CREATE SCHEMA other");
    assert_eq!(
        database.query("SELECT count(*) FROM pg_roles WHERE rolname = 'pgroles-producer'").await,
        [Some("0".to_owned())]
    );
}
