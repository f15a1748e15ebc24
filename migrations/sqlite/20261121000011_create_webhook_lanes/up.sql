-- The queue of each subscription, and what it knows of its receiver. `ready_at` is when it wants to be served next, by
-- which lanes take turns; none when nothing is queued. Of a closed lane, when there is something to end.
CREATE TABLE webhook_lanes (
    subscription_id BLOB NOT NULL PRIMARY KEY,
    is_open INTEGER NOT NULL,
    ready_at INTEGER,
    failures_in_a_row INTEGER NOT NULL,
    failing_since INTEGER,
    paused_until INTEGER,
    pause_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
