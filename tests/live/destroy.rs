//! Taking a topology away on a real broker: completely, never with messages, and again after a kill.

use std::time::Duration;

use serde_json::Value;
use topo::domain::topology::QueueKind;

use crate::{
    harness::{
        rabbitmq::{Vhost, encode},
        topo::{Finished, Workdir},
        wait::wait_for,
    },
    ways::{put_queue, snapshot},
};

pub(crate) const LIMIT: Duration = Duration::from_secs(120);
/// A management API that is not there.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1";

/// Orders in four shards with one consumer that runs SQL, `more` lines of topology.yaml.
pub(crate) fn project(vhost: &Vhost<'_>, management: &str, more: &str) -> Workdir {
    let topology = format!(
        "topology: orders\nshards: {{count: 4, key: /key}}\nmessage: {{id: /id}}\nconsumers: {{ledger: {{}}}}\n{more}"
    );
    Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", management)
        .file("topology.yaml", &topology)
        .file("consumers/ledger/handler.sql", "INSERT INTO effects (id) VALUES (:message_id);\n")
        .file("consumers/ledger/schema.sql", "CREATE TABLE IF NOT EXISTS effects (id text);\n")
}

pub(crate) async fn applied(vhost: &Vhost<'_>, more: &str) -> Workdir {
    let work = project(vhost, &vhost.management_url(), more);
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work
}

pub(crate) fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

/// One message to `queue`, through the default exchange.
pub(crate) fn send(vhost: &Vhost<'_>, queue: &str) {
    let body = format!(
        r#"{{"properties":{{"delivery_mode":2}},"routing_key":{queue:?},"payload":"x","payload_encoding":"string"}}"#
    );
    let (status, answer) = vhost.management("POST", "exchanges", "/amq.default/publish", &body);
    assert!(status == 200 && answer.contains("true"), "{answer}");
}

/// What the vhost holds before anything is made in it.
pub(crate) fn bare(name: &str) -> String {
    snapshot(&Vhost::fresh(name))
}

#[tokio::test]
async fn everything_goes_and_a_second_run_has_nothing_to_do() {
    let empty = bare("bare");
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        for seen in [true, false] {
            let vhost = Vhost::fresh("dëstroy /%2f \"'");
            let more = format!("queues: {{type: {}}}\n", kind.as_str());
            let management = vhost.management_url();
            let work = project(&vhost, if seen { &management } else { NOBODY }, &more);
            work.topo(&["apply", "--yes"]).await.expect_code(0);

            let unasked = work.topo(&["destroy"]).await.expect_code(5);
            assert!(unasked.stderr.contains("--yes") && unasked.stdout.contains("orders.ledger.g1.3"));
            let done = work.topo(&["destroy", "--yes", "-o", "json"]).await.expect_code(0);
            let document = json(&done);
            // Four queues, the dead-letter queue, the exchange, and four bindings where they can be seen.
            assert_eq!(document["summary"]["delete"], if seen { 10 } else { 6 }, "{document}");
            assert_eq!(
                (&document["applied"], document["queues"].as_array().map(Vec::len)),
                (&Value::from(10), Some(5))
            );
            // Of a queue some seconds old there may be no figures yet, which is said too.
            assert_eq!(document["unchecked"].to_string().contains("AMQP alone"), !seen, "{document}");
            assert!(document["kept"].to_string().contains("shards.generation"));
            assert_eq!(snapshot(&vhost), empty);

            let again = work.topo(&["destroy"]).await.expect_code(0);
            assert!(again.stdout.contains("nothing to do"), "{again:?}");
            assert_eq!(json(&work.topo(&["destroy", "-o", "json"]).await.expect_code(0))["applied"], 0);
        }
    }
}

#[tokio::test]
async fn confirm_or_report_a_running_publisher_gets_returns_and_names_the_lines() {
    let vhost = Vhost::fresh("publishing");
    let work = applied(&vhost, "publish: {give_up_after: 2s}\n").await;
    // Keeps the exchange, so that every message from then on is returned.
    put_queue(&vhost, "audit", r#"{"durable":true}"#);
    vhost.management("POST", "bindings", "/e/orders/q/audit", r#"{"routing_key":"elsewhere"}"#);
    let mut publisher = work.spawn(&["publish", "-v", "-o", "json"]);
    publisher.write("{\"key\":\"a\",\"id\":\"1\"}\n").await;
    wait_for("the confirm", LIMIT, async || publisher.stderr().contains("status=confirmed").then_some(()))
        .await;
    work.topo(&["consume", "--all", "--until-empty"]).await.expect_code(0);
    let kept = work.topo(&["destroy", "--yes"]).await.expect_code(3);
    assert!(kept.stderr.contains("error[TOPO0220]: exchange orders stays"), "{}", kept.stderr);
    assert!(!snapshot(&vhost).contains("orders.ledger"));
    publisher.write("{\"key\":\"a\",\"id\":\"2\"}\n{\"key\":\"b\",\"id\":\"3\"}\n").await;
    wait_for("the returns", LIMIT, async || publisher.stderr().contains("status=returned").then_some(()))
        .await;
    let report = json(&publisher.wait(LIMIT).await.expect_code(3));
    assert_eq!((&report["confirmed"], &report["failed"]), (&1.into(), &2.into()), "{report}");
    assert!(report["returned"].as_u64() >= Some(2), "{report}");

    // Through AMQP alone the broker's own refusal says the same.
    let blind = project(&vhost, NOBODY, "");
    blind.topo(&["apply", "--yes"]).await.expect_code(0);
    let kept = blind.topo(&["destroy", "--yes"]).await.expect_code(3);
    assert!(kept.stderr.contains("error[TOPO0220]"), "{}", kept.stderr);
    // Without the exchange there is nothing to return from; the line is named all the same.
    let unbound = vhost.management("DELETE", "bindings", "/e/orders/q/audit/elsewhere", "");
    assert_eq!(unbound.0, 204);
    work.topo(&["destroy", "--yes"]).await.expect_code(0);
    let mut publisher = work.spawn(&["publish", "-o", "json"]);
    publisher.write("{\"key\":\"a\",\"id\":\"4\"}\n").await;
    let ended = publisher.wait(LIMIT).await.expect_code(1);
    assert!(ended.stderr.contains("error[TOPO0302]"), "{}", ended.stderr);
}

#[tokio::test]
async fn killed_at_any_moment_and_run_again_it_ends_in_the_same_state() {
    let empty = bare("bare");
    let vhost = Vhost::fresh("killed");
    let work = project(&vhost, &vhost.management_url(), "");
    put_queue(&vhost, encode("audit").as_str(), r#"{"durable":true}"#);
    let others = snapshot(&vhost);
    assert_ne!(others, empty);
    for left in (0..20).rev() {
        work.topo(&["apply", "--yes"]).await.expect_code(0);
        let mut victim = work.spawn(&["destroy", "--yes"]);
        wait_for("it to come so far, or to its end", LIMIT, async || {
            let objects = snapshot(&vhost).matches("orders.ledger").count();
            (objects <= left || !victim.is_running()).then_some(())
        })
        .await;
        if victim.is_running() {
            victim.signal("KILL");
        }
        victim.wait(LIMIT).await;
        work.topo(&["destroy", "--yes"]).await.expect_code(0);
        assert_eq!(snapshot(&vhost), others, "{left}");
    }
}

#[tokio::test]
async fn per_key_order_the_generation_can_t_be_used_again_with_another_rule() {
    let vhost = Vhost::fresh("again");
    let work = applied(&vhost, "").await;
    work.topo(&["destroy", "--yes"]).await.expect_code(0);
    let text = |shards: &str| {
        format!("topology: orders\nshards: {shards}\nmessage: {{id: /id}}\nconsumers: {{ledger: {{}}}}\n")
    };
    let work = work.file("topology.yaml", &text("{count: 2, key: /key}"));
    let refused = work.topo(&["apply", "--yes"]).await.expect_code(5);
    assert!(refused.stderr.contains("error[TOPO0207]"), "{}", refused.stderr);
    let work = work.file("topology.yaml", &text("{count: 2, generation: 2, key: /key}"));
    work.topo(&["apply", "--yes"]).await.expect_code(0);
}
