INSERT INTO {schema}.consumer_schemas (consumer, digest, applied_at)
VALUES ($1, $2, clock_timestamp())
ON CONFLICT (consumer) DO UPDATE SET digest = excluded.digest, applied_at = excluded.applied_at
