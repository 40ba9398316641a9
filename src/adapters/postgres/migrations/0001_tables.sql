CREATE TABLE {schema}.processed_messages (
    consumer     text        NOT NULL,
    message_id   text        NOT NULL,
    generation   integer     NOT NULL,
    shard        integer     NOT NULL,
    key          text        NOT NULL,
    position     bigint      NOT NULL,
    event_type   text,
    body_hash    bytea       NOT NULL CHECK (octet_length(body_hash) = 16),
    attempt      integer     NOT NULL,
    published_at timestamptz,
    processed_at timestamptz NOT NULL,
    PRIMARY KEY (consumer, message_id)
);

-- Two messages of a shard can never take the same place in its order.
CREATE UNIQUE INDEX processed_messages_order
    ON {schema}.processed_messages (consumer, generation, shard, position);

-- Half-filled pages: the row of a shard is updated by every transaction.
CREATE TABLE {schema}.shard_owners (
    consumer          text        NOT NULL,
    generation        integer     NOT NULL,
    shard             integer     NOT NULL,
    epoch             bigint      NOT NULL,
    owner             text,
    position          bigint      NOT NULL DEFAULT 0,
    parked_version    bigint      NOT NULL DEFAULT 0,
    acquired_at       timestamptz,
    last_processed_at timestamptz,
    paused            boolean     NOT NULL DEFAULT false,
    opened_at         timestamptz,
    sealed_at         timestamptz,
    PRIMARY KEY (consumer, generation, shard)
) WITH (fillfactor = 50);

CREATE TABLE {schema}.generations (
    topology   text    NOT NULL,
    generation integer NOT NULL,
    count      integer NOT NULL,
    hash       text    NOT NULL,
    key        text    NOT NULL,
    state      text    NOT NULL CHECK (state IN ('prepared', 'closed', 'bound', 'open')),
    PRIMARY KEY (topology, generation)
);

CREATE TABLE {schema}.parked_keys (
    consumer          text        NOT NULL,
    key               text        NOT NULL,
    shard             integer     NOT NULL,
    reason            text        NOT NULL,
    attempts          integer     NOT NULL,
    since             timestamptz NOT NULL,
    release_requested boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (consumer, key)
);

CREATE TABLE {schema}.parked_messages (
    consumer   text        NOT NULL,
    key        text        NOT NULL,
    place      bigint      NOT NULL,
    message_id text        NOT NULL,
    envelope   jsonb       NOT NULL,
    body       bytea       NOT NULL,
    reason     text        NOT NULL,
    parked_at  timestamptz NOT NULL,
    PRIMARY KEY (consumer, key, place),
    UNIQUE (consumer, message_id)
);

CREATE TABLE {schema}.watermarks (
    consumer text   NOT NULL,
    key      text   NOT NULL,
    sequence bigint NOT NULL,
    PRIMARY KEY (consumer, key)
);

-- How often a message was begun: one that kills the process is parked after its budget.
CREATE TABLE {schema}.attempts (
    consumer   text    NOT NULL,
    message_id text    NOT NULL,
    started    integer NOT NULL,
    last_error text,
    PRIMARY KEY (consumer, message_id)
);

-- Which form of a consumer's schema.sql was last run.
CREATE TABLE {schema}.consumer_schemas (
    consumer   text        NOT NULL PRIMARY KEY,
    digest     text        NOT NULL,
    applied_at timestamptz NOT NULL
);
