-- Each writer numbers its changes, and has one transaction at a time. So a reader that has seen one of its numbers has seen
-- all lower ones, on whatever server (decision 114). The rows of before are committed: they are of one writer, numbered by
-- their transactions. Versions before write neither a writer nor a number: each of their transactions is a writer. They still
-- read by `transaction_id`. The defaults are constant at first, because a rewritten table looks empty to old snapshots.
ALTER TABLE credential_changes ADD COLUMN writer BIGINT NOT NULL DEFAULT 0, ADD COLUMN number BIGINT NOT NULL DEFAULT 1;
UPDATE credential_changes SET number = transaction_id::text::bigint;
ALTER TABLE credential_changes ALTER COLUMN writer SET DEFAULT -(pg_current_xact_id()::text::bigint);
ALTER TABLE credential_changes DROP CONSTRAINT credential_changes_pkey;
ALTER TABLE credential_changes ADD PRIMARY KEY (writer, number, digest);
