-- The primary key begins with the owner, because lists and counts are by owner.
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
    PRIMARY KEY (owner_issuer, owner_subject, id),
    CONSTRAINT api_keys_id_unique UNIQUE (id),
    CONSTRAINT api_keys_digest_unique UNIQUE (digest)
);
