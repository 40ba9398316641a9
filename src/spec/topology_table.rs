//! Every key of topology.yaml; those that decide the path of a message are in [`super::routing_table`].

use super::{
    routing_table::{KEY, MESSAGE, PUBLISH, QUEUES, SHARDS},
    table::{Fallback, Field, Kind, Section, Shape, field, section},
};

use Fallback::{Absent, Is, Maybe, Required, TopologyName};

/// The whole file.
pub(super) static TOPOLOGY: Section = Section { fields: TOP, short: None };

static TOP: &[Field] = &[
    field("topology", Shape::Name, Required, "the topology's name; exchange and queues are named after it"),
    section("broker", &BROKER, "how to reach RabbitMQ"),
    section("exchange", &EXCHANGE, "the durable exchange that producers publish to"),
    section("shards", &SHARDS, "number of shards and how a key finds its shard"),
    Field { key: "key", kind: Kind::Alias("shards.key"), default: Absent("shards.key is meant"), doc: KEY },
    section("queues", &QUEUES, "how each consumer's queues are declared; always durable"),
    section("message", &MESSAGE, "where publish finds the envelope in each input line"),
    section("publish", &PUBLISH, "limits and deadlines of publishing"),
    section("store", &STORE, "where processed ids and the consumers' tables live"),
    Field {
        key: "consumers",
        kind: Kind::Consumers(&OVERRIDE),
        default: Absent("the folders in consumers/ that hold a consumer.yaml or a handler.sql"),
        doc: "the consumers by name; the files of NAME are in consumers/NAME/",
    },
];

static BROKER: Section = Section {
    short: Some("url"),
    fields: &[
        field(
            "url",
            Shape::Url(&["amqp://", "amqps://"]),
            Is("${TOPO_BROKER_URL:-amqp://guest:guest@127.0.0.1:5672/%2f}"),
            "AMQP URL; the vhost / is written %2f",
        ),
        field(
            "management_url",
            Shape::Url(&["http://", "https://"]),
            Maybe("${TOPO_MANAGEMENT_URL:-}"),
            "management API; empty: the broker's host, port 15672 (https and 15671 for amqps)",
        ),
        section("tls", &TLS, "trust and client certificate; amqps only"),
        field(
            "version",
            Shape::Version,
            Absent("every supported version"),
            "version of RabbitMQ that the file is for, such as 4.3; what it does not know is then an error",
        ),
    ],
};

static TLS: Section = Section {
    short: None,
    fields: &[
        field("ca_file", Shape::File, Absent("the system's roots"), "PEM roots that replace the system's"),
        field("cert_file", Shape::File, Absent("no client certificate"), "PEM client certificate chain"),
        field("key_file", Shape::File, Absent("no client certificate"), "PEM private key of cert_file"),
    ],
};

static EXCHANGE: Section = Section {
    short: Some("name"),
    fields: &[
        field("name", Shape::Name, TopologyName, "the exchange's name"),
        field(
            "type",
            Shape::Choice(
                &["direct", "topic"],
                &[
                    ("fanout", "it ignores the routing key, so every queue would get every message"),
                    ("headers", "it ignores the routing key, so a shard could not be addressed"),
                    ("x-consistent-hash", "it hashes by itself: adding a queue moves keys without a reshard"),
                    ("x-modulus-hash", "it hashes by itself, by an order of queues that nobody controls"),
                    ("x-random", "it routes by chance, which loses the order of a key"),
                    ("x-local-random", "it routes by chance, which loses the order of a key"),
                ],
            ),
            Is("direct"),
            "the exchange's type; both route by equality here, because routing keys hold no wildcards",
        ),
    ],
};

static STORE: Section = Section {
    short: Some("url"),
    fields: &[
        field(
            "url",
            Shape::Url(STORE_SCHEMES),
            Is("${TOPO_STORE_URL:-sqlite:topo.db}"),
            "sqlite:FILE, or postgres://… for production",
        ),
        field("schema", Shape::Name, Is("topo"), "PostgreSQL schema of topo's own tables"),
    ],
};

const STORE_SCHEMES: &[&str] = &["sqlite:", "postgres://", "postgresql://"];

static OVERRIDE: Section =
    Section { short: None, fields: &[section("store", &OVERRIDE_STORE, "this consumer's own store")] };

static OVERRIDE_STORE: Section = Section {
    short: Some("url"),
    fields: &[
        field(
            "url",
            Shape::Url(STORE_SCHEMES),
            Absent("store.url"),
            "this consumer's store instead of the topology's",
        ),
        field(
            "schema",
            Shape::Name,
            Absent("store.schema"),
            "this consumer's schema instead of the topology's",
        ),
    ],
};
