//! 256 shards of two consumers: 512 quorum queues. What is asked of the broker is counted by taps.

use std::time::{Duration, Instant};

use crate::{
    harness::{
        ports,
        rabbitmq::Broker,
        tap::{Protocol, Tap},
        topo::{Finished, Workdir},
    },
    story::json,
};

/// On two idle cores every one of these takes less than ten seconds; a busy machine gets many times that.
const LIMIT: Duration = Duration::from_secs(240);

const SHARDS: usize = 256;
const QUEUES: usize = 2 * SHARDS;

/// Runs `topo` and tells how long it took.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement is in real time, and shown"
)]
async fn timed(work: &Workdir, args: &[&str], code: i32) -> Finished {
    let start = Instant::now();
    let finished = work.spawn(args).wait(LIMIT).await.expect_code(code);
    println!("{QUEUES} quorum queues: topo {} took {:.1} s", args.join(" "), start.elapsed().as_secs_f64());
    finished
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_quorum_queues_are_made_at_once_and_a_second_apply_changes_nothing() {
    let broker = Broker::start();
    let amqp = Tap::start(broker.amqp_port(), Protocol::Amqp).await;
    let management = Tap::start(broker.management_port(), Protocol::Http).await;
    let topology = format!(
        "topology: orders\nshards: {{count: {SHARDS}, key: /key}}\nconsumers: {{ledger: {{}}, mail: {{}}}}\n"
    );
    let project = |management_port: u16| {
        Workdir::new()
            .env("TOPO_BROKER_URL", &format!("amqp://guest:guest@127.0.0.1:{}/%2f", amqp.port()))
            .env("TOPO_MANAGEMENT_URL", &format!("http://guest:guest@127.0.0.1:{management_port}"))
            .file("topology.yaml", &topology)
    };
    let work = project(management.port());
    timed(&work, &["plan", "-q"], 3).await;
    assert_eq!((amqp.changes(), management.changes()), (0, 0), "a plan changes nothing");

    timed(&work, &["apply", "--yes", "-q"], 0).await;
    let made = amqp.calls();
    // Two dead-letter queues.
    assert_eq!((made["queue.declare"], made["queue.bind"]), (QUEUES + 2, QUEUES), "{made:?}");
    assert!(made["channel.open"] < QUEUES, "channels are used again: {made:?}");

    amqp.reset();
    let again = timed(&work, &["apply", "-o", "json"], 0).await;
    assert_eq!(json(&again.stdout)["applied"], 0);
    timed(&work, &["plan"], 0).await;
    assert_eq!((amqp.changes(), management.changes()), (0, 0), "{:?}", amqp.calls());
    // A handful of requests, however many queues there are.
    let looks: usize = management.calls().values().sum();
    assert!(looks < 50, "{:?}", management.calls());
    assert!(amqp.calls().values().sum::<usize>() < 50, "{:?}", amqp.calls());

    // Through AMQP alone every object is looked at, and every binding made again.
    amqp.reset();
    let blind = project(ports::free());
    timed(&blind, &["plan", "-q"], 0).await;
    let looks = amqp.calls();
    assert_eq!(looks["queue.look"], QUEUES + 2, "{looks:?}");
    amqp.reset();
    timed(&blind, &["apply", "--yes", "-q"], 0).await;
    assert_eq!(amqp.calls()["queue.bind"], QUEUES, "{:?}", amqp.calls());
}
