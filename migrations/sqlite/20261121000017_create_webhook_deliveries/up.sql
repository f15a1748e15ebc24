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
