-- Attempts that have ended. An attempt without `failure` succeeded.
CREATE TABLE webhook_attempts (
    subscription_id BYTEA NOT NULL,
    delivery_id BYTEA NOT NULL,
    number BIGINT NOT NULL,
    event_id BYTEA NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    failure TEXT,
    status BIGINT,
    excerpt BYTEA NOT NULL,
    PRIMARY KEY (subscription_id, delivery_id, number)
);
