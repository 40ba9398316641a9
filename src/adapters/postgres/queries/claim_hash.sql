SELECT message_id, body_hash FROM {schema}.processed_messages
WHERE consumer = $1 AND message_id = ANY ($2::text[])
