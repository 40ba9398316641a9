//! Every queue argument that RabbitMQ 3.10 to 4.3 knows: who takes it, and what it means for a shard.
//!
//! Data only (rules T18, T19, T31 to T43); the judging is in [`super::arguments`]. Read in the sources of 3.10.8, 4.0.5 and 4.3.6 and held
//! against those brokers by tests/live/lint.rs; 4.1 and 4.2 follow the release notes.

use super::{
    QueueType,
    row::{
        Answer::{Closes, Ignored, Refused, Works},
        Meaning::{Free, Harmful, Ours},
        Row, Since, Takes,
    },
};
use crate::domain::version::BrokerVersion;

const V3_10: BrokerVersion = BrokerVersion::new(3, 10, 0);
const V3_12: BrokerVersion = BrokerVersion::new(3, 12, 0);
const V3_13: BrokerVersion = BrokerVersion::new(3, 13, 0);
const V4_0: BrokerVersion = BrokerVersion::new(4, 0, 0);
const V4_3: BrokerVersion = BrokerVersion::new(4, 3, 0);

const NEVER: &[(BrokerVersion, bool)] = &[(V3_10, false)];

const YES: Since = &[(V3_10, Works)];
const NO: Since = &[(V3_10, Refused)];
const FROM_4_3: Since = &[(V3_10, Ignored), (V4_3, Works)];
const NO_FROM_4_3: Since = &[(V3_10, Ignored), (V4_3, Refused)];
/// Quorum queues of 4.0 keep no bodies in memory.
const UNTIL_4_0: Since = &[(V3_10, Works), (V4_0, Ignored)];

const ANY: Takes = Takes::Integer(i64::MIN, i64::MAX);
const NATURAL: Takes = Takes::Integer(0, i64::MAX);
const POSITIVE: Takes = Takes::Integer(1, i64::MAX);
const LOCATORS: Takes = Takes::Word(&["client-local", "balanced", "random", "least-leaders"]);

/// T42.
const DELAYED: &str = "sets returned messages aside while the ones behind them are delivered";

/// The rows, by name.
pub(super) const TABLE: &[Row] = &[
    Row::of("x-consumer-disconnected-timeout", NATURAL, Free("wait for a lost node before handing over, ms"))
        .on(NO_FROM_4_3, FROM_4_3, NO_FROM_4_3),
    Row::of("x-consumer-timeout", NATURAL, Free("longest time without an acknowledgement, ms"))
        .checks(&[(V3_10, false), (V4_3, true)])
        .on(
            &[(V3_10, Ignored), (V3_12, Works), (V4_3, Refused)],
            &[(V3_10, Ignored), (V3_12, Works)],
            NO_FROM_4_3,
        ),
    Row::of("x-dead-letter-exchange", Takes::Text, Ours("always the default exchange")).on(YES, YES, NO),
    Row::of("x-dead-letter-routing-key", Takes::Text, Ours("queues.dead_letter")).on(YES, YES, NO),
    Row::of(
        "x-dead-letter-strategy",
        Takes::Word(&["at-most-once", "at-least-once"]),
        Ours("always at-least-once on quorum queues"),
    )
    .on(NO, YES, NO),
    Row::of("x-delayed-retry-max", POSITIVE, Harmful(DELAYED)).checks(NEVER).on(
        NO_FROM_4_3,
        FROM_4_3,
        NO_FROM_4_3,
    ),
    Row::of("x-delayed-retry-min", POSITIVE, Harmful(DELAYED)).checks(NEVER).on(
        NO_FROM_4_3,
        FROM_4_3,
        NO_FROM_4_3,
    ),
    Row::of(
        "x-delayed-retry-type",
        Takes::Word(&["disabled", "all", "failed", "returned"]),
        Harmful(DELAYED),
    )
    .checks(NEVER)
    .on(NO_FROM_4_3, FROM_4_3, NO_FROM_4_3),
    Row::of("x-delivery-limit", ANY, Ours("queues.delivery_limit")).checks(NEVER).on(NO, YES, NO),
    Row::of("x-expires", POSITIVE, Harmful("deletes the queue with its messages when it is not used"))
        .on(YES, YES, NO),
    Row::of("x-initial-cluster-size", POSITIVE, Free("replicas of a stream")).on(NO, NO, YES),
    Row::of("x-max-age", Takes::Text, Free("age at which a stream forgets")).on(NO, NO, YES),
    Row::of("x-max-in-memory-bytes", NATURAL, Free("bytes kept in memory")).on(NO, UNTIL_4_0, NO),
    Row::of("x-max-in-memory-length", NATURAL, Free("messages kept in memory")).on(NO, UNTIL_4_0, NO),
    Row::of("x-max-length", NATURAL, Ours("queues.max_length")).on(YES, YES, NO),
    Row::of("x-max-length-bytes", NATURAL, Ours("queues.max_length_bytes")).on(YES, YES, YES),
    Row::of(
        "x-max-priority",
        Takes::Integer(0, 255),
        Harmful("lets messages of higher priority pass earlier ones"),
    )
    .on(YES, NO, NO),
    Row::of("x-message-ttl", NATURAL, Harmful("deletes messages by age, processed or not")).on(YES, YES, NO),
    Row::of(
        "x-overflow",
        Takes::Word(&["drop-head", "reject-publish", "reject-publish-dlx"]),
        Ours("always reject-publish"),
    )
    .on(YES, YES, NO),
    Row::of("x-queue-leader-locator", LOCATORS, Free("node of the leader; topo sets it on quorum queues"))
        .on(&[(V3_10, Refused), (V4_0, Works)], YES, YES),
    Row::of(
        "x-queue-master-locator",
        Takes::Word(&["min-masters", "client-local", "random"]),
        Free("node of the queue"),
    )
    .checks(&[(V3_10, true), (V4_0, false)])
    .on(&[(V3_10, Works), (V4_3, Closes)], NO, NO),
    Row::of("x-queue-mode", Takes::Word(&["default", "lazy"]), Free("where bodies are kept")).on(
        &[(V3_10, Works), (V3_12, Ignored)],
        NO,
        NO,
    ),
    Row::of("x-queue-type", Takes::Word(&["classic", "quorum", "stream"]), Ours("queues.type"))
        .on(YES, YES, YES),
    Row::of(
        "x-queue-version",
        Takes::Integer(1, 2),
        Free("format of the store on disk; 1 is refused since 4.3"),
    )
    .on(YES, NO, NO),
    Row::of("x-quorum-initial-group-size", POSITIVE, Free("replicas at first")).on(NO, YES, NO),
    Row::of("x-quorum-target-group-size", POSITIVE, Free("replicas that the broker grows to"))
        .checks(NEVER)
        .on(&[(V3_10, Ignored)], &[(V3_10, Ignored), (V3_13, Works)], &[(V3_10, Ignored)]),
    Row::of("x-single-active-consumer", Takes::Bool, Ours("always true")).on(YES, YES, NO),
    Row::of("x-stream-filter-size-bytes", Takes::Integer(16, 255), Free("size of a stream's filters")).on(
        NO_FROM_4_3,
        NO_FROM_4_3,
        &[(V3_10, Ignored), (V3_13, Works)],
    ),
    Row::of("x-stream-max-segment-size-bytes", NATURAL, Free("size of a stream's files")).on(NO, NO, YES),
];

/// Names that stand on queues by mistake, and where they belong.
pub(super) const MISPLACED: &[(&str, &str)] = &[
    ("alternate-exchange", "it is an argument of exchanges"),
    ("x-cancel-on-ha-failover", "it is an argument of consumers"),
    ("x-credit", "it is an argument of consumers"),
    ("x-priority", "it is an argument of consumers"),
    ("x-stream-filter", "it is an argument of consumers"),
    ("x-stream-match-unfiltered", "it is an argument of consumers"),
    ("x-stream-offset", "it is an argument of consumers"),
];

/// Whether topo itself sets `row` on queues of this type.
pub(super) fn is_ours(row: &Row, kind: QueueType) -> bool {
    matches!(row.meaning, Ours(_)) || (row.name == "x-queue-leader-locator" && kind == QueueType::Quorum)
}
