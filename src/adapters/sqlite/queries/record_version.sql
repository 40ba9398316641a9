INSERT INTO schema_version (version, applied_at)
VALUES (:version, CAST(round(unixepoch('subsec') * 1000) AS INTEGER))
