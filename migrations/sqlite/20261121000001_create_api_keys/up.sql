-- SQLite has one writer at a time and one instance. So there is no `key_owners` to lock before a count, and no feed of
-- changes (decisions 18 and 41).
--
-- Times are Unix milliseconds. `ends_at` is the earlier of the revocation and the expiry. It is never NULL: a key
-- without an end has the greatest number.
-- `scopes` has the format of RFC 6749, section 3.3: sorted, without duplicates, separated by one space. `replaced_by`
-- is the id of the key's successor; there is no foreign key, because the purge may delete the successor first.
CREATE TABLE api_keys (
    id BLOB NOT NULL PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    label TEXT NOT NULL,
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at INTEGER,
    revoked_at INTEGER,
    scopes TEXT NOT NULL,
    replaced_by BLOB,
    ends_at INTEGER GENERATED ALWAYS AS (
        coalesce(min(revoked_at, expires_at), revoked_at, expires_at, 9223372036854775807)
    ) VIRTUAL
) STRICT;

-- For the counts and lists of an owner's keys, which read the good keys and the keys that ended last (decision 60).
CREATE INDEX api_keys_by_end ON api_keys (owner_issuer, owner_subject, ends_at, id);

-- For the purge. The index is partial, so that inserting a key without an end does not write to it, and so that lists
-- cannot use it.
CREATE INDEX api_keys_ending ON api_keys (ends_at) WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL;
