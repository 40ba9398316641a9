SELECT count, hash, key FROM generations WHERE topology = :topology AND generation = :generation
