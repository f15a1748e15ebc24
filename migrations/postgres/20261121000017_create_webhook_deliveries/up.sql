-- Deliveries that have ended, each written once. The code of the end is that of the API.
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
