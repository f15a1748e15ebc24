-- For the purge. The index is partial, so that inserting a key without expiry does not write to it.
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
