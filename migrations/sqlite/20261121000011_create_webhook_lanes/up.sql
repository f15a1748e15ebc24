-- The queue of each subscription, and the state of its receiver. `ready_at` is when the lane next needs service; lanes
-- take turns by it. It is NULL when nothing is queued. A closed lane needs service while it has deliveries to end.
CREATE TABLE webhook_lanes (
    subscription_id BLOB NOT NULL PRIMARY KEY,
    is_open INTEGER NOT NULL,
    ready_at INTEGER,
    failures_in_a_row INTEGER NOT NULL,
    failing_since INTEGER,
    paused_until INTEGER,
    pause_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
