-- Deliveries that have not ended (decision 31). `phase` is 0 for a first attempt, 1 for a retry, 2 for a replay.
--
-- A claim sets `claim` and `claimed_until` and changes no indexed column. So the new version of the row can stay on its
-- page (a HOT update), which costs a third; every page keeps half of its space free for that. The columns that a claim
-- sets are the last ones, because the log of the database has a changed row from its first changed column on. Rows come
-- and go quickly, so autovacuum starts early (decision 38).
CREATE TABLE webhook_due (
    subscription_id BYTEA NOT NULL,
    delivery_id BYTEA NOT NULL,
    event_id BYTEA NOT NULL,
    phase SMALLINT NOT NULL,
    due_at TIMESTAMPTZ NOT NULL,
    attempts_before_run BIGINT NOT NULL,
    run_started_at TIMESTAMPTZ NOT NULL,
    attempts BIGINT NOT NULL,
    claim BIGINT,
    claimed_until TIMESTAMPTZ,
    claimer INTEGER,
    PRIMARY KEY (subscription_id, delivery_id)
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_cost_delay = 0
);

-- The order in which the deliveries of a lane leave. Every row is in the index. The condition is there because a
-- look-up by the primary key has no condition on `phase`: so a planner that last saw the table empty, when all indexes
-- look equal, cannot use this index for the look-up (decision 38).
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE phase >= 0;

-- The processes that claim deliveries, by the number that `claimer` has. A process that is there holds an advisory lock
-- on its number (decision 74), or has just set `seen_at`, behind a pooler that shares sessions (decision 93). Operators see
-- the versions (decision 74). `pg_restore` cannot restore an identity column on Citus (decision 120).
CREATE TABLE webhook_claimers (
    number SERIAL PRIMARY KEY,
    version TEXT NOT NULL,
    seen_at TIMESTAMPTZ
);
