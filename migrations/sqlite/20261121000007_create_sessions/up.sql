-- The browsers that are signed in. A session that somebody ends is deleted.
--
-- Lists and counts are by owner, so the primary key begins with the owner. Times are Unix milliseconds. `seen_at` changes
-- with each use and has no index, so that a use writes the row alone. The hourly purge therefore reads the whole table.
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
