-- Writers number their changes (decision 114), and so does each version since. On Citus, a default
-- that each row calls kept insertions of several rows from the shard's node (decision 120).
ALTER TABLE credential_changes DROP COLUMN transaction_id;
