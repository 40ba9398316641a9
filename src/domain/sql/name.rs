//! The names that a handler may bind, and the nearest one to a misspelt name.

/// A named parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameter {
    /// The dedup id.
    MessageId,
    /// The ordering key, text.
    Key,
    /// AMQP `type`.
    Type,
    /// The shard's number.
    Shard,
    /// The per-key sequence number.
    Sequence,
    /// AMQP `correlation_id`.
    CorrelationId,
    /// Time of publishing, RFC 3339 with milliseconds, UTC.
    PublishedAt,
    /// The body, JSON.
    Body,
    /// The headers, a JSON object.
    Headers,
    /// The batch: a JSON array in order of delivery.
    Messages,
}

impl Parameter {
    /// What a handler of mode `each` may name.
    pub const EACH: &'static [Self] = &[
        Self::MessageId,
        Self::Key,
        Self::Type,
        Self::Shard,
        Self::Sequence,
        Self::CorrelationId,
        Self::PublishedAt,
        Self::Body,
        Self::Headers,
    ];

    /// What a handler of mode `batch` may name: a batch has no single message.
    pub const BATCH: &'static [Self] = &[Self::Messages, Self::Shard];

    /// The name without its colon.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MessageId => "message_id",
            Self::Key => "key",
            Self::Type => "type",
            Self::Shard => "shard",
            Self::Sequence => "sequence",
            Self::CorrelationId => "correlation_id",
            Self::PublishedAt => "published_at",
            Self::Body => "body",
            Self::Headers => "headers",
            Self::Messages => "messages",
        }
    }

    /// Whether its value is JSON: jsonb on PostgreSQL, JSON text on SQLite.
    #[must_use]
    pub const fn is_json(self) -> bool {
        matches!(self, Self::Body | Self::Headers | Self::Messages)
    }

    /// Reads a name without its colon.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::EACH.iter().chain(Self::BATCH).copied().find(|p| p.as_str() == name)
    }
}

/// The one of `known` that `name` was probably meant to be; none rather than a bad guess.
pub(super) fn nearest(name: &str, known: &[Parameter]) -> Option<Parameter> {
    let plain = |text: &str| text.to_lowercase().replace('_', "");
    let wanted = plain(name);
    let (distance, parameter) =
        known.iter().map(|p| (distance(&wanted, &plain(p.as_str())), *p)).min_by_key(|(d, _)| *d)?;
    (distance <= (wanted.chars().count() / 3).max(1)).then_some(parameter)
}

/// Edit distance: insertions, deletions and replacements.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
