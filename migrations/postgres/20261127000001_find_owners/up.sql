-- For finding owners. `key_owners` has every owner of anything from now on, also of webhooks or a record only (decision 135).
-- Texts are compared by their bytes, in the same order on every server. Only `A` to `Z` are folded.
INSERT INTO key_owners (owner_issuer, owner_subject)
    SELECT owner_issuer, owner_subject FROM owners UNION SELECT owner_issuer, owner_subject FROM webhook_subscriptions
    UNION SELECT owner_issuer, owner_subject FROM api_keys
    ON CONFLICT DO NOTHING;
CREATE INDEX key_owners_by_subject ON key_owners (owner_subject COLLATE "C", owner_issuer COLLATE "C");
CREATE INDEX owners_by_name ON owners (lower(name COLLATE "C"), owner_subject COLLATE "C", owner_issuer COLLATE "C")
    WHERE name IS NOT NULL;
CREATE INDEX owners_by_email ON owners (lower(email COLLATE "C"), owner_subject COLLATE "C", owner_issuer COLLATE "C")
    WHERE email IS NOT NULL;
CREATE INDEX owners_suspended ON owners (owner_subject COLLATE "C", owner_issuer COLLATE "C")
    WHERE suspended_at IS NOT NULL;
CREATE INDEX api_keys_by_prefix ON api_keys (prefix COLLATE "C", owner_subject COLLATE "C", owner_issuer COLLATE "C");
