-- Deliveries that have ended; each row is written once. `ended` is the code that the API shows.
CREATE TABLE webhook_deliveries (
    subscription_id BLOB NOT NULL,
    id BLOB NOT NULL,
    event_id BLOB NOT NULL,
    event_type TEXT NOT NULL,
    ended TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, id)
) STRICT, WITHOUT ROWID;

-- The deliveries that `recover` brings back. Not `IN`: with more than two values, SQLite fills a temporary table with them
-- for each row that it inserts.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (subscription_id, id)
    WHERE ended = 'schedule_spent' OR ended = 'subscription_disabled' OR ended = 'unreadable';

-- Attempts that have ended. An attempt without `failure` succeeded, and has no `headers` (decision 91).
CREATE TABLE webhook_attempts (
    subscription_id BLOB NOT NULL,
    delivery_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    failure TEXT,
    status INTEGER,
    headers TEXT,
    excerpt BLOB NOT NULL,
    PRIMARY KEY (subscription_id, delivery_id, number)
) STRICT, WITHOUT ROWID;

-- The newest attempts of a subscription, for its health and the stream.
CREATE INDEX webhook_attempts_ended ON webhook_attempts (subscription_id, ended_at);
