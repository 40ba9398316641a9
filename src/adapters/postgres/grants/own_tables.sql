-- schema.sql makes the consumers' own tables; one that names another schema than public needs it there.
GRANT USAGE, CREATE ON SCHEMA public TO {role};
