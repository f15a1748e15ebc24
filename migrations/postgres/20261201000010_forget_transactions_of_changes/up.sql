-- Each version since decision 114 names the writer and the number of a change. On Citus, a column with a default that each
-- row calls keeps insertions of several rows from the shard's node (decision 120).
ALTER TABLE credential_changes DROP COLUMN transaction_id;
