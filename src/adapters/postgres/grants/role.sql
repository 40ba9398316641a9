SELECT format('CREATE ROLE %I LOGIN', {name}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {name}) \gexec
GRANT CONNECT ON DATABASE :"DBNAME" TO {role};
