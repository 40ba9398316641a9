//! An apply that is killed, or loses its broker, at any step and is run again: always the same end.
//!
//! A tap holds the program right before its N-th changing request, so the kill comes at a known place however
//! fast the machine is; other rounds kill it while it runs freely, after its N-th line of progress.

use serde_json::Value;

use crate::{
    harness::{
        rabbitmq::{Broker, Vhost, encode},
        tap::{Protocol, Tap},
        topo::Workdir,
        wait::wait_for,
    },
    story::LIMIT,
    ways::snapshot_of,
};

const ROUNDS: u64 = 50;

/// Requests that make the topology: dead-letter queue, exchange, three queues, three bindings.
const CHANGES: u64 = 8;

/// The same and the two steps of the store.
const STEPS: u64 = CHANGES + 2;

fn project(broker: &Broker, vhost: &str, port: u16) -> Workdir {
    let amqp = format!("amqp://guest:guest@127.0.0.1:{port}/{}", encode(vhost));
    Workdir::new()
        .env("TOPO_BROKER_URL", &amqp)
        .env("TOPO_MANAGEMENT_URL", &broker.management_url())
        .file("topology.yaml", "topology: orders\nshards: {count: 3, key: /key}\nconsumers: {ledger: {}}\n")
        .file("consumers/ledger/handler.sql", "INSERT INTO effects VALUES (:message_id);\n")
        .file("consumers/ledger/schema.sql", "CREATE TABLE IF NOT EXISTS effects (id text);\n")
}

/// What stands in the vhost, in an order that does not depend on its name.
fn state(broker: &Broker, vhost: &str) -> Vec<String> {
    let everything = snapshot_of(broker, vhost);
    let lists = serde_json::Deserializer::from_str(&everything).into_iter::<Vec<Value>>();
    let mut lines: Vec<String> =
        lists.flat_map(|list| list.expect("a list")).map(|item| item.to_string()).collect();
    lines.sort();
    lines
}

/// The state after an apply that nothing disturbs.
async fn undisturbed() -> Vec<String> {
    let vhost = Vhost::fresh("restart-whole");
    let work = project(vhost.broker(), vhost.name(), vhost.broker().amqp_port());
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    state(vhost.broker(), vhost.name())
}

/// A number that looks random, from `seed`: SplitMix64.
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Another one in every run, unless a failure that named its seed is to be seen again.
#[expect(clippy::disallowed_methods, reason = "a replay names its seed in the environment")]
fn seed() -> u64 {
    match std::env::var("TOPO_SIM_SEED") {
        Ok(seed) => seed.parse().expect("a number"),
        Err(_) => std::process::id().into(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_killed_at_any_step_and_run_again_ends_in_the_same_state() {
    let whole = undisturbed().await;
    let seed = seed();
    for round in 0..ROUNDS {
        let draw = random(seed.wrapping_add(round));
        let vhost = Vhost::fresh("restart");
        let tap = Tap::start(vhost.broker().amqp_port(), Protocol::Amqp).await;
        let work = project(vhost.broker(), vhost.name(), tap.port());
        let place = if draw.is_multiple_of(4) {
            let lines = draw / 4 % (STEPS + 1);
            let mut apply = work.spawn(&["apply", "--yes", "-v"]);
            wait_for("progress", LIMIT, async || {
                let told = apply.stderr().matches("done ").count() as u64;
                (told >= lines || !apply.is_running()).then_some(())
            })
            .await;
            apply.signal_if_running("KILL");
            apply.wait(LIMIT).await;
            format!("seed {seed}, round {round}: after {lines} lines")
        } else {
            let changes = draw / 4 % (CHANGES + 1);
            tap.hold_after(usize::try_from(changes).expect("a small number"));
            let mut apply = work.spawn(&["apply", "--yes"]);
            let held = tap.held(|| !apply.is_running()).await;
            assert!(held || changes == CHANGES, "it ended before request {changes}");
            apply.signal_if_running("KILL");
            apply.wait(LIMIT).await;
            format!("seed {seed}, round {round}: before changing request {changes}")
        };
        tap.release();
        let again = work.topo(&["apply", "--yes"]).await;
        assert_eq!(again.status.code(), Some(0), "{place}:\n{}\n{}", again.stdout, again.stderr);
        assert_eq!(state(vhost.broker(), vhost.name()), whole, "{place}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_apply_that_loses_its_broker_half_way_says_so_and_is_completed_by_the_next() {
    let whole = undisturbed().await;
    let mut broker = Broker::start();
    let tap = Tap::start(broker.amqp_port(), Protocol::Amqp).await;
    tap.hold_after(4);
    let work = project(&broker, "/", tap.port());
    let mut apply = work.spawn(&["apply", "--yes"]);
    assert!(tap.held(|| !apply.is_running()).await);
    broker.stop();
    tap.release();
    let failed = apply.wait(LIMIT).await.expect_code(4);
    assert!(failed.stderr.contains("safe to run again: yes"), "{}", failed.stderr);
    broker.start_again();
    work.topo(&["apply", "--yes"]).await.expect_code(0);
    assert_eq!(state(&broker, "/"), whole);
}
