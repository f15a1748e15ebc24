-- Deliveries that have ended; each row is written once. `ended` is the code that the API shows. Partitioned
-- by id, which begins with the time of publication (decision 48).
CREATE TABLE webhook_deliveries (
    subscription_id BYTEA NOT NULL,
    id BYTEA NOT NULL,
    event_id BYTEA NOT NULL,
    event_type TEXT NOT NULL,
    ended TEXT NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    attempts BIGINT NOT NULL,
    PRIMARY KEY (subscription_id, id)
) PARTITION BY RANGE (id);

-- The deliveries that `recover` brings back.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (subscription_id, id)
    WHERE ended IN ('schedule_spent', 'subscription_disabled', 'unreadable');

-- Attempts that have ended. An attempt without `failure` succeeded, and has no `headers` (decision 91).
CREATE TABLE webhook_attempts (
    subscription_id BYTEA NOT NULL,
    delivery_id BYTEA NOT NULL,
    number BIGINT NOT NULL,
    event_id BYTEA NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ NOT NULL,
    failure TEXT,
    status BIGINT,
    headers TEXT,
    excerpt BYTEA NOT NULL,
    PRIMARY KEY (subscription_id, delivery_id, number)
) PARTITION BY RANGE (delivery_id);

-- The newest attempts of a subscription, for its health and the stream.
CREATE INDEX webhook_attempts_ended ON webhook_attempts (subscription_id, ended_at);
