-- LIMIT keeps it one index look-up per id; see claim.sql.
SELECT known.message_id, known.body_hash
FROM unnest($2::text[]) AS given (message_id)
CROSS JOIN LATERAL (
    SELECT p.message_id, p.body_hash FROM {schema}.processed_messages p
    WHERE p.consumer = $1 AND p.message_id = given.message_id LIMIT 1) AS known
