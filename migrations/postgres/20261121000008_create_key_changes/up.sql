-- The digests of keys that were revoked or rotated, for instances that have the keys in memory. Instances read the feed
-- by transaction: a row is new to a reader if its transaction was not committed in the reader's last snapshot. Reading
-- by time could miss a row, because nothing limits how long a COMMIT takes (decision 42).
CREATE TABLE key_changes (
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    digest BYTEA NOT NULL,
    PRIMARY KEY (transaction_id, digest)
);
