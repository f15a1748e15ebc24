DROP INDEX api_keys_by_prefix;
DROP INDEX owners_suspended;
DROP INDEX owners_by_email;
DROP INDEX owners_by_name;
DROP INDEX key_owners_by_subject;
