WITH owned AS (
    SELECT shard, epoch, owner, position, last_processed_at, paused
    FROM {schema}.shard_owners
    WHERE consumer = $1 AND generation = $2
), parked AS (
    SELECT k.shard, count(*) AS keys, coalesce(sum(m.messages), 0)::bigint AS messages
    FROM {schema}.parked_keys k
    LEFT JOIN (SELECT key, count(*) AS messages FROM {schema}.parked_messages WHERE consumer = $1 GROUP BY key) m
         USING (key)
    WHERE k.consumer = $1
    GROUP BY k.shard
)
SELECT shard, coalesce(epoch, 0), owner, coalesce(position, 0),
       (extract(epoch FROM last_processed_at) * 1000)::bigint, coalesce(paused, false),
       coalesce(keys, 0), coalesce(messages, 0)
FROM owned FULL JOIN parked USING (shard)
ORDER BY shard
