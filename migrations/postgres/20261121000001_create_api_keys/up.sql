-- One row for each owner of keys. A transaction that adds a key locks the row before it counts the owner's keys
-- (decision 18).
CREATE TABLE key_owners (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject)
);

-- `ends_at` is the earlier of the revocation and the expiry. It is never NULL: a key without an end has `infinity`.
-- `scopes` has the format of RFC 6749, section 3.3: sorted, without duplicates, separated by one space. `replaced_by`
-- is the id of the key's successor; there is no foreign key, because the purge may delete the successor first.
CREATE TABLE api_keys (
    id BYTEA NOT NULL,
    digest BYTEA NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    label TEXT NOT NULL,
    prefix TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    scopes TEXT NOT NULL,
    replaced_by BYTEA,
    ends_at TIMESTAMPTZ GENERATED ALWAYS AS (COALESCE(LEAST(revoked_at, expires_at), 'infinity')) STORED,
    PRIMARY KEY (id),
    CONSTRAINT api_keys_digest_unique UNIQUE (digest)
);

-- For the counts and lists of an owner's keys, which read the good keys and the keys that ended last (decision 60).
-- Every row is in the index. The condition is there because a look-up by id has no condition on `ends_at`: so the
-- planner cannot use this index for the look-up (decision 38).
CREATE INDEX api_keys_by_end ON api_keys (owner_issuer, owner_subject, ends_at, id) WHERE ends_at IS NOT NULL;

-- For the purge. The index is partial, so that inserting a key without an end does not write to it, and so that lists
-- cannot use it.
CREATE INDEX api_keys_ending ON api_keys (ends_at) WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL;

-- The digests of keys that were revoked or rotated, and of sessions that were ended, for instances that have them in
-- memory. Instances read the feed
-- by transaction: a row is new to a reader if its transaction was not committed in the reader's last snapshot. Reading
-- by time could miss a row, because nothing limits how long a COMMIT takes (decision 114).
CREATE TABLE credential_changes (
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    digest BYTEA NOT NULL,
    PRIMARY KEY (transaction_id, digest)
);
