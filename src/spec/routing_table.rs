//! The keys of topology.yaml that decide the path of a message: shards, queues, message and publish.

use std::time::Duration;

use super::table::{Fallback, Field, Kind, Section, Shape, field};
use crate::domain::{template::Field as Placeholder, topology::SHARDS_MAX};

use Fallback::{Absent, Is, Required};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);
/// RabbitMQ keeps lengths and limits as signed 64-bit integers.
const LENGTH_MAX: u64 = i64::MAX.unsigned_abs();

pub(super) const KEY: &str = "where the ordering key stands: a JSON Pointer into the body, or header:NAME";

pub(super) static SHARDS: Section = Section {
    short: Some("count"),
    fields: &[
        field(
            "count",
            Shape::Count(1, SHARDS_MAX as u64),
            Required,
            "number of shards, each one queue per consumer",
        ),
        field(
            "generation",
            Shape::Count(1, u32::MAX as u64),
            Is("1"),
            "raised by a reshard; part of names and routing keys",
        ),
        field("key", Shape::Key, Required, KEY),
        field(
            "hash",
            Shape::Choice(&["xxh64", "xxh3", "java_string"], &[]),
            Is("xxh64"),
            "hash of the key's UTF-8 bytes, seed 0; java_string: floorMod of String.hashCode",
        ),
        field(
            "routing_key",
            Shape::Template(&[Placeholder::Generation, Placeholder::Shard, Placeholder::Count]),
            Is("{topology}.g{generation}.{shard}of{count}"),
            "routing key of a shard; a producer with another count or generation is returned, not misrouted",
        ),
    ],
};

pub(super) static QUEUES: Section = Section {
    short: None,
    fields: &[
        field(
            "name",
            Shape::Template(&[Placeholder::Consumer, Placeholder::Generation, Placeholder::Shard]),
            Is("{topology}.{consumer}.g{generation}.{shard}"),
            "name of a consumer's queue of a shard",
        ),
        field(
            "type",
            Shape::Choice(
                &["quorum", "classic"],
                &[(
                    "stream",
                    "a stream keeps acked messages and can't be single-active-consumer, so a crash would apply them again",
                )],
            ),
            Is("quorum"),
            "quorum: replicated and on disk before the confirm; classic: one replica",
        ),
        field(
            "single_active_consumer",
            Shape::True("without it the order of a key is lost at every crash of a consumer"),
            Is("true"),
            "only true",
        ),
        field(
            "delivery_limit",
            Shape::Count(1, i32::MAX.unsigned_abs() as u64),
            Is("1000"),
            "quorum: deliveries after which a message is dead-lettered; finite, because without a limit a returned message moves to the tail",
        ),
        field(
            "max_length",
            Shape::Count(1, LENGTH_MAX),
            Absent("no limit"),
            "most messages of a queue; more are refused to the publisher",
        ),
        field(
            "max_length_bytes",
            Shape::Size(1, LENGTH_MAX),
            Absent("no limit"),
            "most body bytes of a queue; more are refused to the publisher",
        ),
        field(
            "dead_letter",
            Shape::Template(&[Placeholder::Consumer]),
            Is("{topology}.{consumer}.dead"),
            "name of a consumer's dead-letter queue",
        ),
        Field {
            key: "arguments",
            kind: Kind::Arguments,
            default: Absent("none"),
            doc: "further arguments of the shard queues; those that break a promise are refused",
        },
    ],
};

pub(super) static MESSAGE: Section = Section {
    short: None,
    fields: &[
        field(
            "id",
            Shape::Pointer,
            Absent("each line gets a generated id"),
            "the message id; a line without it is invalid",
        ),
        field("type", Shape::Pointer, Absent("no event type"), "the event type"),
        field(
            "sequence",
            Shape::Pointer,
            Absent("no sequence number"),
            "the per-key sequence number, an integer",
        ),
        field("occurred_at", Shape::Pointer, Absent("no event time"), "the time of the event, RFC 3339"),
        field("correlation_id", Shape::Pointer, Absent("no correlation id"), "the correlation id"),
        field("trace_id", Shape::Pointer, Absent("no trace id"), "the trace id, or a W3C traceparent"),
    ],
};

pub(super) static PUBLISH: Section = Section {
    short: None,
    fields: &[
        field(
            "in_flight",
            Shape::Count(1, 1 << 20),
            Is("1024"),
            "most messages without a verdict of the broker",
        ),
        field(
            "in_flight_bytes",
            Shape::Size(1, 1 << 40),
            Is("64MiB"),
            "most bytes without a verdict; bounds memory",
        ),
        field(
            "confirm_timeout",
            Shape::Duration(SECOND, DAY),
            Is("30s"),
            "a later confirm counts as unknown and the message is sent again",
        ),
        field(
            "give_up_after",
            Shape::Duration(SECOND, DAY),
            Is("5m"),
            "how long a refused or returned message is tried",
        ),
        field(
            "order",
            Shape::Choice(&["strict", "pipelined"], &[]),
            Is("strict"),
            "strict: one unresolved message per key; pipelined: several, and a refused one is overtaken",
        ),
        field("max_body", Shape::Size(1, 512 << 20), Is("1MiB"), "longest body; longer lines are invalid"),
    ],
};
