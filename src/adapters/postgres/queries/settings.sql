-- A dead owner's backend must not keep its locks (T117), and a commit must be durable when it is
-- answered (T118); a stronger synchronous_commit stays as it is.
SELECT pg_catalog.set_config(name, wanted, false)
FROM pg_catalog.pg_settings
JOIN (VALUES ('statement_timeout', $1::text),
             ('idle_in_transaction_session_timeout', '20000'),
             ('client_connection_check_interval', '2000'),
             ('tcp_keepalives_idle', '10'),
             ('tcp_keepalives_interval', '5'),
             ('tcp_keepalives_count', '3'),
             ('tcp_user_timeout', '20000'),
             ('synchronous_commit', 'on')) AS v (name, wanted) USING (name)
WHERE name <> 'synchronous_commit' OR setting IN ('off', 'local', 'remote_write')
