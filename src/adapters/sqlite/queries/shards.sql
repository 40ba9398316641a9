SELECT shard, epoch, owner, position, last_processed_at, paused,
       (SELECT count(*) FROM parked_keys k WHERE k.consumer = :consumer AND k.shard = s.shard),
       (SELECT count(*) FROM parked_messages m JOIN parked_keys k USING (consumer, key)
        WHERE m.consumer = :consumer AND k.shard = s.shard)
FROM (
    SELECT shard, epoch, owner, position, last_processed_at, paused
    FROM shard_owners
    WHERE consumer = :consumer AND generation = :generation
    UNION ALL
    SELECT DISTINCT shard, 0, NULL, 0, NULL, 0
    FROM parked_keys
    WHERE consumer = :consumer AND shard NOT IN (
        SELECT shard FROM shard_owners WHERE consumer = :consumer AND generation = :generation)
) s
ORDER BY shard
