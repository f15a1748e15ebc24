-- Events that readers fetch themselves (decision 146). The lane of a subscription that is pulled has the number of the last
-- event in its log, and never needs service.
ALTER TABLE webhook_lanes ADD COLUMN is_pulled INTEGER NOT NULL DEFAULT FALSE;

-- The log of each subscription that is pulled.
CREATE TABLE webhook_pulled (
    subscription_id BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    PRIMARY KEY (subscription_id, sequence)
) STRICT, WITHOUT ROWID;

-- For commits, which name an event, for seeks, which name a time, and for the purge.
CREATE INDEX webhook_pulled_events ON webhook_pulled (subscription_id, event_id, sequence);

-- The readers of each log. `leased_until` is NULL after a commit.
CREATE TABLE webhook_consumers (
    subscription_id BLOB NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    lease INTEGER,
    leased_through INTEGER,
    leased_until INTEGER,
    PRIMARY KEY (subscription_id, name)
) STRICT, WITHOUT ROWID;
