-- Accepted events. `payload` is the body of the webhook, byte for byte; empty if the event has no deliveries.
-- `deliveries` is how many deliveries the publication made. The table is partitioned by id, which begins with the time
-- of publication (decision 48).
CREATE TABLE webhook_events (
    id BYTEA NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    event_type TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    deliveries BIGINT NOT NULL,
    -- The trace and the span that published the event, if they are recorded (decision 83).
    trace BYTEA,
    payload BYTEA NOT NULL
) PARTITION BY RANGE (id);

-- The periods, in days since 1970-01-01, from `first_day` to before `end_day`. Each has one partition of each table of
-- the log: webhook_events, webhook_deliveries and webhook_attempts. Who creates or drops partitions locks this table.
CREATE TABLE webhook_periods (
    first_day BIGINT NOT NULL PRIMARY KEY,
    end_day BIGINT NOT NULL
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
