-- The primary key begins with the owner, because lists and counts are by owner. Times are Unix milliseconds.
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
    PRIMARY KEY (owner_issuer, owner_subject, id)
) STRICT;
