-- $1 consumer, $2 generation, $3 shard, $4 the shard's position; then one array per column of the batch.
WITH given AS (
    SELECT DISTINCT ON (message_id) *
    FROM unnest($5::text[], $6::text[], $7::text[], $8::bytea[], $9::bigint[]) WITH ORDINALITY
         AS m (message_id, key, event_type, body_hash, published_ms, place)
    ORDER BY message_id, place
), unseen AS (
    SELECT given.*, row_number() OVER (ORDER BY place) AS nth
    FROM given
    -- Not NOT EXISTS: planned for a young table it becomes a join that reads all of the consumer's rows, and
    -- the session keeps that plan while the table grows. A scalar subquery is one look-up per id.
    WHERE (SELECT true FROM {schema}.processed_messages p
           WHERE p.consumer = $1 AND p.message_id = given.message_id LIMIT 1) IS NULL
), inserted AS (
    INSERT INTO {schema}.processed_messages (consumer, message_id, generation, shard, key, position,
        event_type, body_hash, attempt, published_at, processed_at)
    SELECT $1, message_id, $2, $3, key, $4 + nth,
        event_type, body_hash, 1, 'epoch'::timestamptz + published_ms * interval '1 millisecond', clock_timestamp()
    FROM unseen
    ORDER BY nth
    ON CONFLICT (consumer, message_id) DO NOTHING
    RETURNING message_id, position
), moved AS (
    UPDATE {schema}.shard_owners
    SET position = position + (SELECT count(*) FROM inserted), last_processed_at = clock_timestamp()
    WHERE consumer = $1 AND generation = $2 AND shard = $3 AND EXISTS (SELECT FROM inserted)
)
SELECT message_id, position FROM inserted ORDER BY position
