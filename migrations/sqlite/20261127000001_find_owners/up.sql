-- For finding owners. Only `A` to `Z` are folded. Partial indexes, because most owners have no row or no name.
ALTER TABLE owners ADD COLUMN folded_name TEXT GENERATED ALWAYS AS (lower(name)) VIRTUAL;
ALTER TABLE owners ADD COLUMN folded_email TEXT GENERATED ALWAYS AS (lower(email)) VIRTUAL;
CREATE INDEX owners_by_name ON owners (folded_name, owner_subject, owner_issuer) WHERE name IS NOT NULL;
CREATE INDEX owners_by_email ON owners (folded_email, owner_subject, owner_issuer) WHERE email IS NOT NULL;
CREATE INDEX owners_suspended ON owners (owner_subject, owner_issuer) WHERE suspended_at IS NOT NULL;
CREATE INDEX api_keys_by_prefix ON api_keys (prefix, owner_subject, owner_issuer);
