-- Accepted events. `payload` is the body of the webhook, byte for byte. `deliveries` is how many deliveries the
-- publication made.
CREATE TABLE webhook_events (
    id BYTEA NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    event_type TEXT NOT NULL,
    payload BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    deliveries BIGINT NOT NULL
);

-- The events that have an id from their publisher. The purge finds the rows by event.
CREATE TABLE webhook_publications (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    publisher_id TEXT NOT NULL,
    content BYTEA NOT NULL,
    event_id BYTEA NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, publisher_id),
    CONSTRAINT webhook_publications_event_unique UNIQUE (event_id)
);
