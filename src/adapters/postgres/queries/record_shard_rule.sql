-- The first rule of a generation stays.
INSERT INTO {schema}.generations (topology, generation, count, hash, key, state)
VALUES ($1, $2, $3, $4, $5, 'open')
ON CONFLICT (topology, generation) DO NOTHING
