-- Deleted subscriptions stay, without their secrets, as long as the log has deliveries to them. `status` is `enabled`,
-- `disabled_by_owner`, or the reason why the service disabled the subscription. `events` has patterns, separated by a
-- space. `url_set_by` is the id of an API key, which may no longer exist.
CREATE TABLE webhook_subscriptions (
    id BYTEA NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    url_set_by BYTEA,
    secret BYTEA,
    previous_secret BYTEA,
    previous_secret_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    PRIMARY KEY (owner_issuer, owner_subject, id),
    CONSTRAINT webhook_subscriptions_id_unique UNIQUE (id)
);

-- For the purge.
CREATE INDEX webhook_subscriptions_deleted ON webhook_subscriptions (deleted_at) WHERE deleted_at IS NOT NULL;

-- For the subscriptions of a key that was reported as leaked. Most URLs are set by nobody's key.
CREATE INDEX webhook_subscriptions_url_set_by ON webhook_subscriptions (url_set_by) WHERE url_set_by IS NOT NULL;

-- The patterns of enabled and disabled subscriptions. To find the subscriptions of an event, publishing looks up every
-- pattern that matches the event's type, by equality.
CREATE TABLE webhook_patterns (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    pattern TEXT NOT NULL,
    subscription_id BYTEA NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, pattern, subscription_id)
);

-- The queue of each subscription, and the state of its receiver. `ready_at` is when the lane next needs service; lanes
-- take turns by it. It is NULL when nothing is queued. `owner` is the number of the owner, which never changes. `wakes`
-- counts the changes of the row: a claim writes `ready_at` only if the row is the one that the claim saw (decision 38).
-- No delivery of the lane is due before `due_from`: who adds one, lowers it.
CREATE TABLE webhook_lanes (
    subscription_id BYTEA NOT NULL PRIMARY KEY,
    owner BIGINT NOT NULL,
    is_open BOOLEAN NOT NULL,
    ready_at TIMESTAMPTZ,
    wakes BIGINT NOT NULL DEFAULT 0,
    failures_in_a_row BIGINT NOT NULL,
    failing_since TIMESTAMPTZ,
    paused_until TIMESTAMPTZ,
    pause_millis BIGINT NOT NULL,
    due_from TIMESTAMPTZ NOT NULL DEFAULT '-infinity'
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_threshold = 500,
    autovacuum_vacuum_scale_factor = 0.1,
    autovacuum_vacuum_cost_delay = 0
);

-- The order in which lanes are served. Lanes that sleep are not in the index. A look-up of one lane has no condition on
-- `ready_at`, so a planner that last saw the table empty cannot use this index for the look-up (decision 38).
CREATE INDEX webhook_lanes_ready ON webhook_lanes (is_open, ready_at) WHERE ready_at IS NOT NULL;

-- The lanes that fail, for operators. A lane that works is not in the index.
CREATE INDEX webhook_lanes_failing ON webhook_lanes (failing_since, subscription_id)
    WHERE is_open AND failing_since IS NOT NULL;

-- Has at most one row: a known text, encrypted under the ENCRYPTION_KEY that the secrets are encrypted under, so that a
-- process with another key does not start (decision 57).
CREATE TABLE encryption_checks (
    id INTEGER NOT NULL PRIMARY KEY,
    sealed BYTEA NOT NULL
);
