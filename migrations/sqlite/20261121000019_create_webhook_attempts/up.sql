-- Attempts that have ended. An attempt without `failure` succeeded.
CREATE TABLE webhook_attempts (
    subscription_id BLOB NOT NULL,
    delivery_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    failure TEXT,
    status INTEGER,
    excerpt BLOB NOT NULL,
    PRIMARY KEY (subscription_id, delivery_id, number)
) STRICT, WITHOUT ROWID;
