//! Publishing to a real broker, through the library.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use lapin::{
    ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable},
};
use tokio::sync::{mpsc, watch};
use topo::{
    adapters::{
        amqp::{connection::Endpoint, publish::AmqpPublishBroker, subscription::AmqpConsumeBroker},
        memory::{chance::Chance, clock::RuntimeClock},
    },
    domain::{
        envelope::HEADER_SEQUENCE,
        message::ShardId,
        route::ShardMap,
        topology::{QueueKind, Topology},
    },
    flows::publish::{self, Ended, Job, Line},
    ports::{
        clock::Clock,
        observer::{Level, MessageEvent, Observer},
        store::Committed,
        subscription::ConsumeBroker,
    },
};

use crate::{
    harness::{proxy::Proxy, rabbitmq::Vhost, wait::wait_for},
    support,
};

/// Remembers how many messages are confirmed.
#[derive(Debug, Default)]
struct Progress(AtomicU64);

impl Observer for Progress {
    fn wants(&self, _level: Level) -> bool {
        false
    }
    fn message(&self, _event: &MessageEvent<'_>) {}
    fn notice(&self, _level: Level, _shard: Option<&ShardId>, _text: &str) {}
    fn progress(&self, _read: u64, confirmed: u64, _in_flight: u64) {
        self.0.store(confirmed, Ordering::Relaxed);
    }
}

fn endpoint(topology: &Topology) -> Endpoint {
    Endpoint::new(&topology.broker.url, "test", None).unwrap()
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(RuntimeClock::new(Arc::new(Chance::new(1))))
}

/// Declares exchange, queues and bindings, all but the binding of `unbound`.
async fn declare(topology: &Topology, unbound: Option<u32>) {
    let connection = endpoint(topology).connect().await.unwrap();
    let channel = connection.create_channel().await.unwrap();
    let exchange = topology.exchange.name.as_str();
    let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
    channel
        .exchange_declare(exchange.into(), ExchangeKind::Direct, durable, FieldTable::default())
        .await
        .unwrap();
    for shard in 0..topology.shards.count {
        let queue = topology.queue(&support::name("ledger"), shard);
        let mut arguments = FieldTable::default();
        let kind = topology.queues.kind.as_str();
        arguments.insert("x-queue-type".into(), AMQPValue::LongString(kind.into()));
        arguments.insert("x-single-active-consumer".into(), AMQPValue::Boolean(true));
        channel
            .queue_declare(queue.as_str().into(), QueueDeclareOptions::durable(), arguments)
            .await
            .unwrap();
        if unbound != Some(shard) {
            let key = topology.routing_key(shard);
            channel
                .queue_bind(
                    queue.as_str().into(),
                    exchange.into(),
                    key.as_str().into(),
                    QueueBindOptions::default(),
                    FieldTable::default(),
                )
                .await
                .unwrap();
        }
    }
    connection.close(200, "done".into()).await.unwrap();
}

/// `events` events of each of `keys` keys, the keys taking turns.
fn lines(keys: u64, events: u64) -> Vec<Line> {
    let each = (1..=events).flat_map(|seq| (0..keys).map(move |key| (key, seq)));
    each.zip(1..)
        .map(|((key, seq), number)| Line {
            source: "test".into(),
            number,
            bytes: Ok(support::line(&format!("k{key}"), seq)),
        })
        .collect()
}

async fn publish(topology: &Topology, lines: Vec<Line>) -> publish::Outcome {
    watched(topology, lines, &Progress::default()).await
}

async fn watched(topology: &Topology, lines: Vec<Line>, progress: &Progress) -> publish::Outcome {
    let broker = AmqpPublishBroker::new(endpoint(topology), topology.exchange.name.as_str()).unwrap();
    let map = ShardMap::new(topology);
    let clock = clock();
    let (sender, receiver) = mpsc::channel(16);
    let (_stop, stop) = watch::channel(false);
    let job = Job {
        broker: &broker,
        map: &map,
        settings: topology.publish,
        fields: &support::FlatReader,
        new_id: &|| "unused".to_owned(),
        clock: clock.as_ref(),
        observer: progress,
        stop,
    };
    let feed = async move {
        for line in lines {
            if sender.send(line).await.is_err() {
                break;
            }
        }
    };
    tokio::join!(publish::run(job, receiver), feed).0
}

/// Reads every queue to its end; per key the sequence numbers as they arrive, duplicates left out.
async fn stored(topology: &Topology) -> BTreeMap<String, Vec<i64>> {
    let broker = AmqpConsumeBroker::new(endpoint(topology), clock());
    let map = ShardMap::new(topology);
    let mut seen: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for shard in 0..topology.shards.count {
        let queue = topology.queue(&support::name("ledger"), shard);
        let mut subscription = broker.subscribe(&queue, &format!("reader-{shard}"), 0).await.unwrap();
        while subscription.ready().await.unwrap() > 0
            || subscription.ready().await.unwrap() > 0
            || subscription.has_arrived()
        {
            let mut last = None;
            while let Some(delivery) = subscription.try_next() {
                last = Some(delivery.tag);
                let id = delivery.incoming.message_id.unwrap();
                let (key, seq) = id.rsplit_once('-').unwrap();
                assert_eq!(map.shard(key), shard, "each queue holds only keys of its shard");
                assert!(delivery.incoming.headers.contains_key(HEADER_SEQUENCE));
                let seq = seq.parse().unwrap();
                let list = seen.entry(key.to_owned()).or_default();
                if !list.contains(&seq) {
                    list.push(seq);
                }
            }
            if let Some(tag) = last {
                // Read and remembered is all that this reader promises.
                subscription.ack_through(tag, &Committed::attest()).await.unwrap();
            }
        }
        subscription.close().await.unwrap();
    }
    broker.close().await;
    seen
}

fn in_order(stored: &BTreeMap<String, Vec<i64>>, keys: usize, events: i64) {
    assert_eq!(stored.len(), keys);
    for (key, order) in stored {
        assert_eq!(order, &(1..=events).collect::<Vec<_>>(), "per-key-order of {key}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_line_is_confirmed_and_stored_in_order_on_both_queue_types() {
    for kind in [QueueKind::Quorum, QueueKind::Classic] {
        let vhost = Vhost::fresh(&format!("publish-{}", kind.as_str()));
        let topology = support::topology(&vhost.amqp_url(), 4, kind);
        declare(&topology, None).await;
        let outcome = publish(&topology, lines(200, 25)).await;
        assert!(matches!(outcome.ended, Ended::Complete), "{outcome:?}");
        assert_eq!(outcome.report.confirmed, 5000, "{:?}", outcome.report);
        assert_eq!(outcome.report.per_shard.iter().sum::<u64>(), 5000);
        in_order(&stored(&topology).await, 200, 25);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_without_a_queue_is_never_called_confirmed() {
    let vhost = Vhost::fresh("publish-unbound");
    let mut topology = support::topology(&vhost.amqp_url(), 4, QueueKind::Classic);
    topology.publish.give_up_after = Duration::from_millis(300);
    declare(&topology, Some(2)).await;
    let map = ShardMap::new(&topology);
    let outcome = publish(&topology, lines(400, 5)).await;
    let unroutable = (0..400).filter(|key| map.shard(&format!("k{key}")) == 2).count();
    assert_eq!(
        outcome.report.failed_keys.len(),
        unroutable,
        "confirm-or-report: {:?}",
        outcome.report.problems
    );
    assert!(outcome.report.failed_keys.iter().all(|key| map.shard(key) == 2));
    assert_eq!(outcome.report.per_shard[2], 0);
    in_order(&stored(&topology).await, 400 - unroutable, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_connection_loses_and_reorders_nothing() {
    let vhost = Vhost::fresh("publish-cut");
    let proxy = Proxy::start(vhost.broker().amqp_port()).await;
    let topology = support::topology(&vhost.amqp_url_via(proxy.port()), 4, QueueKind::Quorum);
    declare(&topology, None).await;
    let progress = Progress::default();
    let cuts = async {
        for cut in 0..8 {
            wait_for("messages to be confirmed", Duration::from_secs(60), async || {
                (progress.0.load(Ordering::Relaxed) > cut * 3000).then_some(())
            })
            .await;
            proxy.cut();
        }
        std::future::pending::<()>().await;
    };
    let outcome = tokio::select! {
        outcome = watched(&topology, lines(500, 60), &progress) => outcome,
        () = cuts => unreachable!("never ends"),
    };
    assert!(matches!(outcome.ended, Ended::Complete), "{outcome:?}");
    assert!(outcome.report.reconnects > 0, "the line was cut: {:?}", outcome.report);
    assert_eq!(outcome.report.confirmed, 30_000);
    in_order(&stored(&topology).await, 500, 60);
}
