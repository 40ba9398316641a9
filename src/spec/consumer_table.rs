//! Every key of consumers/NAME/consumer.yaml.

use std::time::Duration;

use super::table::{Fallback, Field, Section, Shape, field, section};

use Fallback::{Absent, Is};

const MILLISECOND: Duration = Duration::from_millis(1);
const MINUTE: Duration = Duration::from_secs(60);
/// A hundred years: whoever wants to keep ids for ever can say so.
const CENTURY: Duration = Duration::from_secs(36_500 * 86_400);

/// The whole file.
pub(super) static CONSUMER: Section = Section { fields: TOP, short: None };

static TOP: &[Field] = &[
    section("handler", &HANDLER, "what is done with a message; one of sql, exec, http, rust"),
    field(
        "mode",
        Shape::Choice(&["each", "batch"], &[]),
        Is("each"),
        "each: the handler runs once per message; batch: once per batch with :messages",
    ),
    section("batch", &BATCH, "size of one transaction and one multiple-ack"),
    field("prefetch", Shape::Count(1, u16::MAX as u64), Is("500"), "unacked deliveries per shard"),
    field(
        "dedup",
        Shape::Dedup,
        Is("message_id"),
        "what makes a message a duplicate: message_id, sequence, or a list of pointers",
    ),
    section("retry", &RETRY, "in-place retry; the message keeps its place in front of its followers"),
    field(
        "on_failure",
        Shape::Choice(
            &["park", "block", "dead_letter"],
            &[("drop", "a message is never dropped"), ("requeue", "it loses the order of the key")],
        ),
        Is("park"),
        "after the last attempt: park the key, block the shard, or dead_letter the message and give up the order of its key",
    ),
    field(
        "timeout",
        Shape::Duration(MILLISECOND, Duration::from_secs(899)),
        Is("30s"),
        "deadline of one handler call",
    ),
    field(
        "retention",
        Shape::Duration(MINUTE, CENTURY),
        Is("14d"),
        "how long processed ids are kept; a resend after that is applied again",
    ),
];

static HANDLER: Section = Section {
    short: None,
    fields: &[
        field(
            "sql",
            Shape::File,
            Absent("handler.sql when that file exists and no other handler is named"),
            "SQL statements that run in the claim's transaction",
        ),
        field("exec", Shape::Words, Absent("not used"), "a long-lived child process: program and arguments"),
        field(
            "http",
            Shape::Url(&["http://", "https://"]),
            Absent("not used"),
            "POST of the envelope to a URL",
        ),
        field(
            "rust",
            Shape::Text,
            Absent("not used"),
            "a handler registered by this name through the library",
        ),
        field(
            "claim",
            Shape::Choice(&["after", "before"], &[]),
            Absent("after"),
            "exec and http: record the id after the call (may repeat, never loses) or before (may lose, never repeats)",
        ),
    ],
};

static BATCH: Section = Section {
    short: Some("max_messages"),
    fields: &[
        field("max_messages", Shape::Count(1, 100_000), Is("500"), "most messages of one transaction"),
        field(
            "max_bytes",
            Shape::Size(1, 1 << 30),
            Is("8MiB"),
            "most body bytes of one transaction; one larger message is a batch of its own",
        ),
        field(
            "linger",
            Shape::Linger,
            Is("auto"),
            "auto: no wait when idle, up to 5 ms while more keeps coming; or a duration",
        ),
    ],
};

static RETRY: Section = Section {
    short: Some("attempts"),
    fields: &[
        field("attempts", Shape::Count(1, 1000), Is("5"), "tries in all, the first included"),
        field(
            "backoff",
            Shape::Range,
            Is("100ms..10s"),
            "pause after a failure: doubles from the first to the second",
        ),
    ],
};
