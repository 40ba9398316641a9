UPDATE shard_owners
SET position = :position, last_processed_at = CAST(round(unixepoch('subsec') * 1000) AS INTEGER)
WHERE consumer = :consumer AND generation = :generation AND shard = :shard
