-- Fails in an aborted transaction (T111), and keeps a timeout from cutting the commit itself short (T119).
SELECT pg_catalog.set_config('statement_timeout', '0', true)
