DROP INDEX api_keys_by_prefix;
DROP INDEX owners_suspended;
DROP INDEX owners_by_email;
DROP INDEX owners_by_name;
ALTER TABLE owners DROP COLUMN folded_email;
ALTER TABLE owners DROP COLUMN folded_name;
