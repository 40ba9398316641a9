INSERT INTO consumer_schemas (consumer, digest, applied_at)
VALUES (:consumer, :digest, CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
ON CONFLICT (consumer) DO UPDATE SET digest = excluded.digest, applied_at = excluded.applied_at
