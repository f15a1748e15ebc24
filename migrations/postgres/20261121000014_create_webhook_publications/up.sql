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
