-- Each writer numbers its changes, and has one transaction at a time. So a reader that has seen one of its numbers has seen
-- all lower ones, on whatever server (decision 114). Versions before write neither a writer nor a number: each of their
-- rows has another writer. They still read by `transaction_id`.
ALTER TABLE credential_changes
    ADD COLUMN writer BIGINT NOT NULL DEFAULT floor(random() * 4611686018427387904)::bigint,
    ADD COLUMN number BIGINT NOT NULL DEFAULT 1;
ALTER TABLE credential_changes DROP CONSTRAINT credential_changes_pkey;
ALTER TABLE credential_changes ADD PRIMARY KEY (writer, number, digest);
