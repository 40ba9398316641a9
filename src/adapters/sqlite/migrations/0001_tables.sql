-- Times are integer milliseconds since the Unix epoch.

CREATE TABLE processed_messages (
    consumer     TEXT    NOT NULL,
    message_id   TEXT    NOT NULL,
    generation   INTEGER NOT NULL,
    shard        INTEGER NOT NULL,
    key          TEXT    NOT NULL,
    position     INTEGER NOT NULL,
    event_type   TEXT,
    body_hash    BLOB    NOT NULL CHECK (length(body_hash) = 16),
    attempt      INTEGER NOT NULL,
    published_at INTEGER,
    processed_at INTEGER NOT NULL,
    PRIMARY KEY (consumer, message_id)
) STRICT, WITHOUT ROWID;

-- Two messages of a shard can never take the same place in its order.
CREATE UNIQUE INDEX processed_messages_order
    ON processed_messages (consumer, generation, shard, position);

CREATE TABLE shard_owners (
    consumer          TEXT    NOT NULL,
    generation        INTEGER NOT NULL,
    shard             INTEGER NOT NULL,
    epoch             INTEGER NOT NULL,
    owner             TEXT,
    position          INTEGER NOT NULL DEFAULT 0,
    parked_version    INTEGER NOT NULL DEFAULT 0,
    acquired_at       INTEGER,
    last_processed_at INTEGER,
    paused            INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    opened_at         INTEGER,
    sealed_at         INTEGER,
    PRIMARY KEY (consumer, generation, shard)
) STRICT, WITHOUT ROWID;

CREATE TABLE generations (
    topology   TEXT    NOT NULL,
    generation INTEGER NOT NULL,
    count      INTEGER NOT NULL,
    hash       TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('prepared', 'closed', 'bound', 'open')),
    PRIMARY KEY (topology, generation)
) STRICT, WITHOUT ROWID;

CREATE TABLE parked_keys (
    consumer          TEXT    NOT NULL,
    key               TEXT    NOT NULL,
    shard             INTEGER NOT NULL,
    reason            TEXT    NOT NULL,
    attempts          INTEGER NOT NULL,
    since             INTEGER NOT NULL,
    release_requested INTEGER NOT NULL DEFAULT 0 CHECK (release_requested IN (0, 1)),
    PRIMARY KEY (consumer, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE parked_messages (
    consumer   TEXT    NOT NULL,
    key        TEXT    NOT NULL,
    place      INTEGER NOT NULL,
    message_id TEXT    NOT NULL,
    envelope   TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    reason     TEXT    NOT NULL,
    parked_at  INTEGER NOT NULL,
    PRIMARY KEY (consumer, key, place),
    UNIQUE (consumer, message_id)
) STRICT;

CREATE TABLE watermarks (
    consumer TEXT    NOT NULL,
    key      TEXT    NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (consumer, key)
) STRICT, WITHOUT ROWID;

-- How often a message was begun: one that kills the process is parked after its budget.
CREATE TABLE attempts (
    consumer   TEXT    NOT NULL,
    message_id TEXT    NOT NULL,
    started    INTEGER NOT NULL,
    last_error TEXT,
    PRIMARY KEY (consumer, message_id)
) STRICT, WITHOUT ROWID;

-- Which form of a consumer's schema.sql was last run.
CREATE TABLE consumer_schemas (
    consumer   TEXT    NOT NULL PRIMARY KEY,
    digest     TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
