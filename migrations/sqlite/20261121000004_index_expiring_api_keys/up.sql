-- For the purge. Partial: a key without expiry does not pay for it.
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
