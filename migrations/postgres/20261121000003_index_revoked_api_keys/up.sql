-- For the purge. Partial: an insertion of an active key does not pay for it.
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;
