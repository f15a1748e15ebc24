-- The digests of keys that were revoked or rotated, for instances that remember answers about them. Instances read the
-- feed by transaction: a row is new to a reader if its transaction was not committed in the reader's last snapshot. A
-- time would not do, because nothing bounds how long a COMMIT takes.
CREATE TABLE key_changes (
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    digest BYTEA NOT NULL,
    PRIMARY KEY (transaction_id, digest)
);
