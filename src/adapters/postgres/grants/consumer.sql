GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
-- The same on whatever the declarator makes from now on, the consumers' own tables among it.
ALTER DEFAULT PRIVILEGES FOR ROLE {declarator} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES FOR ROLE {declarator} GRANT USAGE ON SEQUENCES TO {role};
