SELECT count, hash, key FROM {schema}.generations WHERE topology = $1 AND generation = $2
