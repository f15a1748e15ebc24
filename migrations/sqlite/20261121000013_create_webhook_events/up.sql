CREATE TABLE webhook_events (
    id BLOB NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    deliveries INTEGER NOT NULL
) STRICT;
