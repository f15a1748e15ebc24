-- The browsers that are signed in. A session that somebody ends is deleted.
--
-- The primary key begins with the owner, because lists and counts are by owner. Times are Unix milliseconds. There is no
-- index on `seen_at`, so that a use writes to no index: the hourly purge reads the whole table.
CREATE TABLE sessions (
    id BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL UNIQUE,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    user_agent TEXT,
    address TEXT,
    PRIMARY KEY (owner_issuer, owner_subject, id)
) STRICT;
