INSERT INTO shard_owners (consumer, generation, shard, epoch, owner, acquired_at, opened_at)
VALUES (:consumer, :generation, :shard, 1, :owner,
        CAST(round(unixepoch('subsec') * 1000) AS INTEGER),
        CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
ON CONFLICT (consumer, generation, shard) DO UPDATE
SET epoch = epoch + 1,
    owner = excluded.owner,
    acquired_at = excluded.acquired_at,
    opened_at = coalesce(opened_at, excluded.opened_at)
WHERE sealed_at IS NULL
RETURNING epoch
