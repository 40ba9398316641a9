SELECT position FROM {schema}.shard_owners
WHERE consumer = $1 AND generation = $2 AND shard = $3 AND epoch = $4 AND sealed_at IS NULL
FOR UPDATE
