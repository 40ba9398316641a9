//! `topo doctor` on real servers: each thing set wrong is named, and what is well comes out well.

use serde_json::Value;

use crate::{
    cast::{cast, json, plain, sqlite},
    harness::{
        rabbitmq::{Broker, Vhost},
        topo::{Finished, Workdir},
        wait::wait_for,
    },
};

const LIMIT: std::time::Duration = std::time::Duration::from_secs(60);

/// A topology with a consumer, and so with queues and a store.
fn whole(name: &str) -> String {
    format!("{}consumers: {{ledger: {{}}}}\n", plain(name))
}

/// A topology in a vhost, with everything applied.
async fn applied(vhost: &Vhost<'_>, topology: &str) -> Workdir {
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .file("topology.yaml", topology)
        .file("consumers/ledger/handler.sql", "SELECT :message_id;");
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work
}

/// Name, status and code of every check that is not well.
pub(crate) fn findings(finished: &Finished) -> Vec<(String, String, String)> {
    let text = |check: &Value, field: &str| check[field].as_str().unwrap_or_default().to_owned();
    let document = json(finished);
    let checks = document["checks"].as_array().expect("checks").iter();
    checks
        .filter(|check| check["status"] != "ok")
        .map(|check| (text(check, "name"), text(check, "status"), text(check, "code")))
        .collect()
}

/// Demands one of them.
#[track_caller]
pub(crate) fn names(finished: &Finished, name: &str, status: &str, code: &str) {
    let wanted = (name.to_owned(), status.to_owned(), code.to_owned());
    assert!(findings(finished).contains(&wanted), "{wanted:?}: {finished:?}");
}

/// What is known to be wrong with the version that the tests run on.
fn known(vhost: &Vhost<'_>) -> Vec<(String, String, String)> {
    let warnings = if vhost.broker().version() < (4, 0) { 2 } else { 0 };
    vec![("broker.version".to_owned(), "warning".to_owned(), "TOPO0230".to_owned()); warnings]
}

/// A node that was just started has not told its version yet.
async fn settled(work: &Workdir, args: &[&str]) -> Finished {
    wait_for("the node's statistics", LIMIT, async || {
        let ran = work.topo(args).await;
        (!ran.stdout.contains("has not told its version")).then_some(ran)
    })
    .await
}

#[tokio::test]
async fn a_healthy_set_up_comes_out_healthy() {
    let vhost = Vhost::fresh("healthy");
    let work = applied(&vhost, &whole("well")).await;
    let ran = settled(&work, &["doctor", "-o", "json"]).await.expect_code(0);
    assert_eq!(findings(&ran), known(&vhost), "{}", ran.stdout);
    assert_eq!(json(&ran)["healthy"], true);
    let strict = work.topo(&["doctor", "--strict"]).await;
    let code = if known(&vhost).is_empty() { 0 } else { 3 };
    assert_eq!(strict.status.code(), Some(code), "{}", strict.stdout);
    assert!(strict.stdout.contains("well healthy"), "{}", strict.stdout);
}

#[tokio::test]
async fn what_is_pending_or_dangerous_is_named() {
    let vhost = Vhost::fresh("pending");
    let work = applied(&vhost, &whole("ill")).await;
    vhost.management("DELETE", "queues", "/ill.ledger.g1.1", "");
    let policy = r#"{"pattern":"^ill","apply-to":"queues","definition":{"message-ttl":1000}}"#;
    assert_eq!(vhost.management("PUT", "operator-policies", "/short", policy).0, 201);
    let ran = work.topo(&["doctor", "-o", "json"]).await.expect_code(3);
    names(&ran, "topology", "problem", "TOPO0201");
    names(&ran, "topology", "problem", "TOPO0213");
    assert_eq!(json(&ran)["healthy"], false);
}

#[tokio::test]
async fn a_limit_of_queues_is_found_before_it_is_hit() {
    let vhost = Vhost::fresh("limit");
    vhost.management("PUT", "vhost-limits", "/max-queues", r#"{"value":2}"#);
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .file("topology.yaml", &whole("many"));
    let ran = work.topo(&["doctor", "-o", "json"]).await.expect_code(3);
    names(&ran, "broker.queue_limit", "problem", "TOPO0241");
}

#[tokio::test]
async fn an_alarm_is_named_with_node_and_resource() {
    let broker = Broker::start();
    let vhost = broker.vhost("alarm");
    let work = applied(&vhost, &whole("blocked")).await;
    broker.ctl(&["set_vm_memory_high_watermark", "absolute", "1"]);
    let ran = wait_for("the alarm", LIMIT, async || {
        let ran = work.topo(&["doctor", "-o", "json"]).await;
        (ran.status.code() == Some(3)).then_some(ran)
    })
    .await;
    names(&ran, "broker.alarms", "problem", "TOPO0232");
    assert!(ran.stdout.contains("memory on topo-"), "{}", ran.stdout);
}

#[tokio::test]
async fn users_see_what_they_may_and_are_told_what_they_lack() {
    let vhost = Vhost::fresh("rights");
    let dir = tempfile::tempdir().expect("a directory");
    let cast = cast(&vhost, &plain("rights"), &sqlite(&dir), &[]).await;
    cast.topo("declarator", &["apply", "--yes"]).await.expect_code(0);
    let observer = cast.topo("observer", &["doctor", "-o", "json"]).await.expect_code(0);
    names(&observer, "cluster.versions", "unchecked", "TOPO0239");
    names(&observer, "broker.permissions", "unchecked", "TOPO0239");
    // Without the management tag there is AMQP alone.
    let producer = cast.topo("producer", &["doctor", "-o", "json"]).await;
    names(&producer, "broker.management", "unchecked", "TOPO0239");

    let broker = vhost.broker();
    broker.ctl(&["set_user_tags", "rights-producer", "administrator"]);
    let able = cast.topo("producer", &["doctor", "-o", "json", "--role", "producer"]).await.expect_code(0);
    assert!(able.stdout.contains("rights-producer can be producer, observer"), "{}", able.stdout);
    let args = ["doctor", "-o", "json", "--role", "consumer"];
    let unable = cast.topo("producer", &args).await.expect_code(3);
    names(&unable, "broker.permissions", "problem", "TOPO0235");
    assert!(unable.stdout.contains("read on rights.ledger.g1.0"), "{}", unable.stdout);
}

#[tokio::test]
async fn a_broker_or_store_that_does_not_answer_ends_with_4_and_the_rest_is_looked_at() {
    let vhost = Vhost::fresh("silent");
    let work =
        applied(&vhost, &whole("silent")).await.env("TOPO_BROKER_URL", "amqp://guest:guest@127.0.0.1:1/");
    let work = work.env("TOPO_MANAGEMENT_URL", "http://127.0.0.1:1");
    let ran = work.topo(&["doctor", "-o", "json"]).await.expect_code(4);
    names(&ran, "broker.amqp", "problem", "TOPO0601");
    assert!(ran.stdout.contains("quick_check"), "the store was looked at: {}", ran.stdout);
    let work = work
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url())
        .env("TOPO_STORE_URL", "postgres://topo:pl4nted@127.0.0.1:1/x");
    let ran = work.topo(&["doctor", "-o", "json"]).await.expect_code(4);
    names(&ran, "store", "problem", "TOPO0501");
    assert!(!ran.stdout.contains("pl4nted"), "{}", ran.stdout);
}

#[tokio::test]
async fn an_extreme_heartbeat_in_the_url_is_named() {
    let vhost = Vhost::fresh("heartbeat");
    let url = format!("{}?heartbeat=1", vhost.amqp_url());
    let work = applied(&vhost, &whole("beat")).await.env("TOPO_BROKER_URL", &url);
    let ran = work.topo(&["doctor", "-o", "json"]).await.expect_code(0);
    names(&ran, "broker.heartbeat", "warning", "TOPO0240");
}

#[tokio::test]
async fn a_queue_without_replicas_and_a_stopped_node_of_a_cluster_are_named() {
    let first = Broker::start();
    let (second, mut third) = (first.start_member(), first.start_member());
    let vhost = first.vhost("cluster");
    let work = applied(&vhost, &whole("three")).await;
    let well = settled(&work, &["doctor", "-o", "json"]).await.expect_code(0);
    assert!(well.stdout.contains("3 nodes run"), "{}", well.stdout);
    assert!(well.stdout.contains("4 queues with 3 members or more"), "{}", well.stdout);

    for node in [second.node(), third.node()] {
        first.tool("rabbitmq-queues", &["delete_member", "-p", vhost.name(), "three.ledger.g1.1", node]);
    }
    // 4.3 shows the members of some seconds ago.
    let few = wait_for("the lost members", LIMIT, async || {
        let ran = work.topo(&["doctor", "-o", "json"]).await;
        (ran.status.code() == Some(3)).then_some(ran)
    })
    .await;
    names(&few, "cluster.members", "problem", "TOPO0233");
    assert!(few.stdout.contains("three.ledger.g1.1"), "{}", few.stdout);

    third.stop();
    let less = wait_for("the lost node", LIMIT, async || {
        let ran = work.topo(&["doctor", "-o", "json"]).await;
        ran.stdout.contains("1 of 3 nodes do not run").then_some(ran)
    })
    .await;
    names(&less, "cluster.nodes", "problem", "TOPO0242");
}
