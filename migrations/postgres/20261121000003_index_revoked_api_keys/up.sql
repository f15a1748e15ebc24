-- For the purge. The index is partial, so that inserting an active key does not write to it.
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
