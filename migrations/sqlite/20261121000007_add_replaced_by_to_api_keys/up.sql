-- The id of the key that this one was rotated into. No foreign key: the purge may delete that one first.
ALTER TABLE api_keys ADD COLUMN replaced_by BLOB;
