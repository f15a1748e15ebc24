-- The member who created a key of an organization, by the subject at the identity provider (decision 122).
ALTER TABLE api_keys ADD COLUMN created_by TEXT;
