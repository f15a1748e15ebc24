-- What instances must learn of each other's keys: the kind is 'revoked' or 'rotated'. The stamp is when the transaction
-- began, by this server's clock. It leads the only index, because changes are read, and forgotten, by their age.
CREATE TABLE key_changes (
    changed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    digest BYTEA NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (changed_at, digest, kind)
);
