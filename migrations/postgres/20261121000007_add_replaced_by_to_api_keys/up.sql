-- The id of the key's successor. There is no foreign key, because the purge may delete the successor first.
ALTER TABLE api_keys ADD COLUMN replaced_by BYTEA;
