-- One lock per database for every program that migrates: class "topo", 1.
SELECT pg_catalog.pg_advisory_xact_lock(1953460335, 1)
