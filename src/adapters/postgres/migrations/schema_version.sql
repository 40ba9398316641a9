CREATE TABLE IF NOT EXISTS {schema}.schema_version (
    version    integer     NOT NULL PRIMARY KEY,
    applied_at timestamptz NOT NULL
);
