-- Holds one row at most. The readiness check writes it, to know that the database takes writes.
CREATE TABLE write_probes (
    id INTEGER NOT NULL PRIMARY KEY,
    writes INTEGER NOT NULL
) STRICT;
