-- Who has suspended an owner: NULL is the host, `provider` the identity provider, which has deactivated the user by SCIM, and
-- `both` are both (decision 137).
ALTER TABLE owners ADD COLUMN suspended_by TEXT;
