-- SQLite has one writer at a time and one instance. So there is no `key_owners` to lock before a count, and no feed of
-- changes (decisions 18 and 41).
--
-- The primary key begins with the owner, because lists and counts are by owner. Times are Unix milliseconds.
-- `scopes` has the format of RFC 6749, section 3.3: sorted, without duplicates, separated by one space. `replaced_by`
-- is the id of the key's successor; there is no foreign key, because the purge may delete the successor first.
CREATE TABLE api_keys (
    id BLOB NOT NULL UNIQUE,
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
    PRIMARY KEY (owner_issuer, owner_subject, id)
) STRICT;

-- For the purge. The index is partial, so that inserting an active key does not write to it.
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- For the purge. The index is partial, so that inserting a key without expiry does not write to it.
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE expires_at IS NOT NULL;
