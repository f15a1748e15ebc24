DROP TABLE credential_changes;
DROP TABLE api_keys;
DROP TABLE key_owners;
