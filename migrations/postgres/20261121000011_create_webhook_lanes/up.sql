-- The queue of each subscription, and the state of its receiver. `ready_at` is when the lane next needs service; lanes
-- take turns by it. It is NULL when nothing is queued. `wakes` counts the changes that may move `ready_at` forward: a
-- claim that found the lane empty puts the lane to sleep only if `wakes` is what the claim saw (decision 38).
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
