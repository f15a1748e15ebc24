-- For the keys that a member has made for organizations, which can end with the member (decision 142).
CREATE INDEX api_keys_by_member ON api_keys (created_by, owner_issuer) WHERE created_by IS NOT NULL;
