-- The queue of each subscription, and what it knows of its receiver. `ready_at` is when it wants to be served next, by
-- which lanes take turns; none when nothing is queued. `wakes` counts the changes that may bring `ready_at` forward, so
-- that a claim that found the lane empty does not put it to sleep past one that came meanwhile.
CREATE TABLE webhook_lanes (
    subscription_id BYTEA NOT NULL PRIMARY KEY,
    is_open BOOLEAN NOT NULL,
    ready_at TIMESTAMPTZ,
    wakes BIGINT NOT NULL,
    failures_in_a_row BIGINT NOT NULL,
    failing_since TIMESTAMPTZ,
    paused_until TIMESTAMPTZ,
    pause_millis BIGINT NOT NULL
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_scale_factor = 0.1,
    autovacuum_vacuum_cost_delay = 0
);
