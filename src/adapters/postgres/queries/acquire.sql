INSERT INTO {schema}.shard_owners AS o (consumer, generation, shard, epoch, owner, acquired_at, opened_at)
VALUES ($1, $2, $3, 1, $4, clock_timestamp(), clock_timestamp())
ON CONFLICT (consumer, generation, shard) DO UPDATE
SET epoch = o.epoch + 1,
    owner = excluded.owner,
    acquired_at = excluded.acquired_at,
    opened_at = coalesce(o.opened_at, excluded.opened_at)
WHERE o.sealed_at IS NULL
RETURNING epoch
