-- Deliveries that have ended; each row is written once. `ended` is the code that the API shows.
CREATE TABLE webhook_deliveries (
    subscription_id BYTEA NOT NULL,
    id BYTEA NOT NULL,
    event_id BYTEA NOT NULL,
    event_type TEXT NOT NULL,
    ended TEXT NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (subscription_id, id)
);
