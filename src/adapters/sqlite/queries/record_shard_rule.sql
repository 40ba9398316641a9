-- The first rule of a generation stays.
INSERT INTO generations (topology, generation, count, hash, key, state)
VALUES (:topology, :generation, :count, :hash, :key, 'open')
ON CONFLICT (topology, generation) DO NOTHING
