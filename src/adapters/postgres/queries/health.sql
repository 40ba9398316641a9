-- $1 topo's schema. reset_val is what the connection began with, from server, database or role.
SELECT current_setting('server_version'),
       current_setting('server_version_num')::integer,
       current_user::text,
       current_setting('fsync') = 'on',
       current_setting('full_page_writes') = 'on',
       (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit'),
       current_setting('synchronous_commit'),
       current_setting('synchronous_standby_names'),
       pg_catalog.pg_is_in_recovery(),
       current_setting('default_transaction_read_only') = 'on',
       pg_catalog.has_database_privilege(current_database(), 'CREATE'),
       (SELECT pg_catalog.has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = $1),
       (SELECT pg_catalog.has_table_privilege(c.oid, 'INSERT')
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relname = 'processed_messages'),
       coalesce((SELECT reset_val::bigint FROM pg_catalog.pg_settings WHERE name = 'idle_session_timeout'), 0),
       (extract(epoch FROM clock_timestamp()) * 1000)::bigint
