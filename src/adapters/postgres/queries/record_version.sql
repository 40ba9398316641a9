INSERT INTO {schema}.schema_version (version, applied_at) VALUES ($1, clock_timestamp())
