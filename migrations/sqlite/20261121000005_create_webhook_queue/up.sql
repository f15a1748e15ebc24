-- Deliveries that have not ended (decision 31). `phase` is 0 for a first attempt, 1 for a retry, 2 for a replay. While
-- the delivery is claimed, `due_at` is the end of the claim.
CREATE TABLE webhook_due (
    subscription_id BLOB NOT NULL,
    delivery_id BLOB NOT NULL,
    event_id BLOB NOT NULL,
    phase INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    claim INTEGER,
    attempts INTEGER NOT NULL,
    attempts_before_run INTEGER NOT NULL,
    run_started_at INTEGER NOT NULL,
    PRIMARY KEY (subscription_id, delivery_id)
) STRICT, WITHOUT ROWID;

-- The order in which the deliveries of a lane leave, and the order in which its claims end. A claim moves a row from
-- the first index to the second.
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE claim IS NULL;

CREATE INDEX webhook_due_claims ON webhook_due (subscription_id, due_at) WHERE claim IS NOT NULL;
