-- Accepted events. `payload` is the body of the webhook, byte for byte; empty if the event has no deliveries.
-- `deliveries` is how many deliveries the publication made. The payload comes last: lists do not read it.
CREATE TABLE webhook_events (
    id BLOB NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    event_type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    -- The trace and the span that published the event, if they are recorded (decision 83).
    trace BLOB,
    payload BLOB NOT NULL
) STRICT;

-- The events that have an id from their publisher.
CREATE TABLE webhook_publications (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    publisher_id TEXT NOT NULL,
    content BLOB NOT NULL,
    event_id BLOB NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, publisher_id)
) STRICT, WITHOUT ROWID;

-- For the purge, which deletes these rows together with their events.
CREATE INDEX webhook_publications_event ON webhook_publications (event_id);
