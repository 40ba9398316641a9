//! The command line on a real broker: a stranger's first quarter of an hour, and what can go wrong in it.

use std::time::Duration;

use serde_json::Value;

use crate::harness::{
    proxy::Proxy,
    rabbitmq::Vhost,
    topo::{Finished, Workdir},
    wait::wait_for,
};

const LIMIT: Duration = Duration::from_secs(60);

/// What `topo init` writes, for a vhost of its own.
async fn example(vhost: &Vhost<'_>) -> Workdir {
    let work = Workdir::new()
        .env("TOPO_BROKER_URL", &vhost.amqp_url())
        .env("TOPO_MANAGEMENT_URL", &vhost.management_url());
    work.topo(&["init"]).await.expect_code(0);
    work
}

fn json(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("no JSON document: {error}\n{finished:?}"))
}

/// Messages in all queues, as the queues themselves know it.
fn messages(vhost: &Vhost<'_>) -> u64 {
    let list =
        vhost.broker().ctl(&["list_queues", "-q", "-p", vhost.name(), "messages", "--no-table-headers"]);
    list.lines().filter_map(|line| line.trim().parse::<u64>().ok()).sum()
}

#[tokio::test]
async fn from_init_to_status() {
    let vhost = Vhost::fresh("journey");
    let work = example(&vhost).await;
    work.topo(&["check"]).await.expect_code(0);
    let plan = json(&work.topo(&["plan", "-o", "json"]).await.expect_code(3));
    // Dead-letter queue, exchange, eight queues and bindings, tables, the ledger's own.
    assert_eq!(plan["summary"]["create"], 20);

    let unasked = work.topo(&["apply"]).await.expect_code(5);
    assert!(unasked.stderr.contains("--yes"), "{}", unasked.stderr);
    assert_eq!(json(&work.topo(&["plan", "-o", "json"]).await.expect_code(3)), plan, "nothing was changed");

    let applied = json(&work.topo(&["apply", "--yes", "-o", "json"]).await.expect_code(0));
    assert_eq!(applied["changes"], plan["changes"], "what was shown is what was done");
    assert_eq!(applied["applied"], 20);
    let again = json(&work.topo(&["apply", "-o", "json"]).await.expect_code(0));
    assert_eq!((&again["changes"], &again["applied"]), (&Value::Array(Vec::new()), &Value::from(0)));
    work.topo(&["plan"]).await.expect_code(0);

    for (committed, duplicates) in [(40, 0), (0, 40)] {
        let published = json(&work.topo(&["publish", "orders.jsonl", "-o", "json"]).await.expect_code(0));
        assert_eq!((&published["read"], &published["confirmed"]), (&Value::from(40), &Value::from(40)));
        work.topo(&["status", "--check"]).await.expect_code(3);
        let args = ["consume", "--all", "--until-empty", "-o", "json"];
        let consumed = json(&work.topo(&args).await.expect_code(0));
        assert_eq!(
            (&consumed["received"], &consumed["committed"], &consumed["duplicates"]),
            (&Value::from(40), &Value::from(committed), &Value::from(duplicates))
        );
    }
    let status = json(&work.topo(&["status", "--check", "-o", "json"]).await.expect_code(0));
    assert_eq!(status["healthy"], true);
    assert_eq!(status["shards"].as_array().map(Vec::len), Some(8));
}

#[tokio::test]
async fn a_queue_of_another_type_is_refused_with_both_values() {
    let vhost = Vhost::fresh("type");
    let work = example(&vhost).await;
    let body = r#"{"durable":true,"arguments":{"x-queue-type":"classic"}}"#;
    vhost.management("PUT", "queues", "/orders.ledger.g1.3", body);
    let before = vhost.management("GET", "queues", "", "").1;
    for args in [&["apply", "--yes"][..], &["apply"]] {
        let refused = work.topo(args).await.expect_code(5);
        for word in ["error[TOPO0202]", "orders.ledger.g1.3", "x-queue-type is classic, should be quorum"] {
            assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
        }
    }
    let names = |text: &str| text.matches("\"name\":").count();
    assert_eq!(names(&vhost.management("GET", "queues", "", "").1), names(&before), "nothing was changed");
}

#[tokio::test]
async fn confirm_or_report_bad_lines_are_named_and_good_ones_go_out() {
    let vhost = Vhost::fresh("lines");
    let work = example(&vhost).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let long = "x".repeat(256);
    let lines = [
        r#"{"messageId":"m1","aggregateId":"1"}"#.to_owned(),
        "not json".to_owned(),
        r#"{"messageId":"m3","aggregateId":null}"#.to_owned(),
        r#"{"messageId":"m4","aggregateId":1.5}"#.to_owned(),
        r#"{"messageId":"m5","aggregateId":{"a":1}}"#.to_owned(),
        r#"{"aggregateId":"6"}"#.to_owned(),
        format!(r#"{{"messageId":"{long}","aggregateId":"7"}}"#),
        r#"{"messageId":"m8","aggregateId":"8"}"#.to_owned(),
    ];
    let mut run = work.spawn(&["publish", "-o", "json"]);
    run.write(&format!("{}\n", lines.join("\n"))).await;
    let ended = run.wait(LIMIT).await.expect_code(3);
    let report = json(&ended);
    assert_eq!(
        (&report["read"], &report["confirmed"], &report["invalid"]),
        (&8.into(), &2.into(), &6.into())
    );
    let named: Vec<_> =
        report["problems"].as_array().unwrap().iter().map(|p| p["line"].as_u64().unwrap()).collect();
    assert_eq!(named, [2, 3, 4, 5, 6, 7]);
    assert!(ended.stderr.contains("error[TOPO0301]: 6 of 8 lines"), "{}", ended.stderr);
}

#[tokio::test]
async fn what_is_missing_is_named_with_the_next_command() {
    let vhost = Vhost::fresh("missing");
    let work = example(&vhost).await;
    let exchange = work.topo(&["publish", "orders.jsonl"]).await.expect_code(1);
    assert!(
        exchange.stderr.contains("error[TOPO0302]") && exchange.stderr.contains("topo apply"),
        "{exchange:?}"
    );
    let queue = work.topo(&["consume", "--all", "--until-empty"]).await.expect_code(1);
    assert!(
        queue.stderr.contains("error[TOPO0503]") || queue.stderr.contains("error[TOPO0401]"),
        "{queue:?}"
    );
    assert!(queue.stderr.contains("topo apply"), "{queue:?}");
}

#[tokio::test]
async fn a_wrong_password_and_a_missing_vhost_are_told_apart_and_nothing_is_given_away() {
    let vhost = Vhost::fresh("login");
    let good = vhost.amqp_url();
    let wrong = good.replacen("guest:guest@", "guest:pl4nted@", 1);
    assert_ne!(good, wrong);
    let absent = format!("{}-absent", good.trim_end_matches('/'));
    for (url, code) in [(&wrong, "error[TOPO0602]"), (&absent, "error[TOPO0603]")] {
        let work =
            example(&vhost).await.env("TOPO_BROKER_URL", url).env("TOPO_MANAGEMENT_URL", url_of_nobody());
        for args in [&["plan"][..], &["status"], &["publish", "orders.jsonl"]] {
            let failed = work.topo(args).await.expect_code(1);
            assert!(failed.stderr.contains(code), "{args:?}: {}", failed.stderr);
            assert!(!failed.stderr.contains("pl4nted") && !failed.stdout.contains("pl4nted"), "{failed:?}");
        }
    }
}

/// A management API that is not there: the look is made through AMQP.
fn url_of_nobody() -> &'static str {
    "http://127.0.0.1:1"
}

#[tokio::test]
async fn drain_loses_nothing_a_signal_ends_publish_with_its_report() {
    let vhost = Vhost::fresh("drain-publish");
    let work = example(&vhost).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    for signal in ["INT", "TERM"] {
        // Standard input stays open: the run would wait for more for ever.
        let mut run = work.spawn(&["publish", "-v", "-o", "json"]);
        run.write("{\"messageId\":\"s1\",\"aggregateId\":\"1\"}\n").await;
        wait_for("the confirm", LIMIT, async || run.stderr().contains("status=confirmed").then_some(()))
            .await;
        run.signal(signal);
        wait_for("the end", LIMIT, async || (!run.is_running()).then_some(())).await;
        let ended = run.wait(LIMIT).await.expect_code(130);
        assert_eq!(json(&ended)["confirmed"], 1);
    }
}

// rabbitmqctl is waited for in place; the proxy must go on meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn the_second_signal_ends_a_drain_that_can_t_go_on() {
    let vhost = Vhost::fresh("second-signal");
    let work = example(&vhost).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let proxy = Proxy::start(vhost.broker().amqp_port()).await;
    let work = work.env("TOPO_BROKER_URL", &vhost.amqp_url_via(proxy.port()));
    let mut run = work.spawn(&["publish", "-v"]);
    run.write("{\"messageId\":\"s1\",\"aggregateId\":\"1\"}\n").await;
    wait_for("the confirm", LIMIT, async || run.stderr().contains("status=confirmed").then_some(())).await;
    // From now on no confirm comes back: the drain waits for one.
    proxy.stall(false, true);
    run.write("{\"messageId\":\"s2\",\"aggregateId\":\"1\"}\n").await;
    wait_for("the second message", LIMIT, async || (messages(&vhost) == 2).then_some(())).await;
    run.signal("TERM");
    wait_for("the drain", LIMIT, async || run.stderr().contains("a second signal").then_some(())).await;
    assert!(run.is_running());
    run.signal("TERM");
    let ended = run.wait(Duration::from_secs(5)).await.expect_code(130);
    assert_eq!(ended.stdout, "", "no report: nobody knows what became of the second line");
}

#[tokio::test]
async fn drain_loses_nothing_a_signal_ends_consume_with_its_report() {
    let vhost = Vhost::fresh("drain-consume");
    let work = example(&vhost).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    work.topo(&["publish", "orders.jsonl"]).await.expect_code(0);
    let mut run = work.spawn(&["consume", "--all", "-v", "-o", "json"]);
    let all = |run: &crate::harness::topo::Running| {
        (run.stderr().matches("status=business_committed").count() == 40).then_some(())
    };
    wait_for("forty effects", LIMIT, async || all(&run)).await;
    assert!(run.is_running(), "without a limit it waits for more");
    run.signal("TERM");
    let ended = run.wait(LIMIT).await.expect_code(130);
    assert_eq!(json(&ended)["committed"], 40);
    // The acks arrived too.
    let args = ["consume", "--all", "--until-empty", "-o", "json"];
    assert_eq!(json(&work.topo(&args).await.expect_code(0))["received"], 0);
}

#[tokio::test]
async fn a_message_that_can_t_be_processed_blocks_its_shard_and_ends_with_3() {
    let vhost = Vhost::fresh("blocked");
    let work = example(&vhost).await;
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    let mut run = work.spawn(&["publish"]);
    run.write(
        "{\"messageId\":\"p1\",\"aggregateId\":\"1\",\"eventType\":\"order.created\",\"payload\":{}}\n",
    )
    .await;
    run.wait(LIMIT).await.expect_code(0);
    let ended = work.topo(&["consume", "--all", "--until-empty", "-o", "json"]).await.expect_code(3);
    assert!(ended.stderr.contains("error[TOPO0402]"), "{}", ended.stderr);
    assert_eq!(json(&ended)["committed"], 0);
    // It keeps its place.
    let again = work.topo(&["consume", "--all", "--until-empty", "-o", "json"]).await.expect_code(3);
    assert_eq!(json(&again)["received"], 1);
}
