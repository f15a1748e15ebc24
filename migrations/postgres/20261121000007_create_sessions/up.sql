-- The browsers that are signed in. A session that somebody ends is deleted, and its digest is reported in
-- `credential_changes`.
--
-- Lists and counts are by owner, so the primary key begins with the owner. `seen_at` changes with each use and has no
-- index, so that a use writes the row alone. The hourly purge therefore reads the whole table.
CREATE TABLE sessions (
    id BYTEA NOT NULL,
    digest BYTEA NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    seen_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    user_agent TEXT,
    address TEXT,
    PRIMARY KEY (owner_issuer, owner_subject, id),
    CONSTRAINT sessions_id_unique UNIQUE (id),
    CONSTRAINT sessions_digest_unique UNIQUE (digest)
);
