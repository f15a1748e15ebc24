-- Has at most one row. The readiness check writes the row to find out whether the database accepts writes.
CREATE TABLE write_probes (
    id INTEGER NOT NULL PRIMARY KEY,
    writes INTEGER NOT NULL
) STRICT;
