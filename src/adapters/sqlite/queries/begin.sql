SELECT position FROM shard_owners
WHERE consumer = :consumer AND generation = :generation AND shard = :shard
  AND epoch = :epoch AND sealed_at IS NULL
