ALTER TABLE credential_changes DROP CONSTRAINT credential_changes_pkey;
ALTER TABLE credential_changes DROP COLUMN writer, DROP COLUMN number;
ALTER TABLE credential_changes ADD PRIMARY KEY (transaction_id, digest);
