CREATE TABLE webhook_events (
    id BYTEA NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    deliveries BIGINT NOT NULL
);
