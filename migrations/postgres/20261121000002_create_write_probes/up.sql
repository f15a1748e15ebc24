-- Has at most one row. The readiness check writes the row to find out whether the database accepts writes.
CREATE TABLE write_probes (
    id BIGINT NOT NULL PRIMARY KEY,
    writes BIGINT NOT NULL
);
