-- Deleted subscriptions stay, without their secrets, as long as the log has deliveries to them. `status` is `enabled`,
-- `disabled_by_owner`, or the reason why the service disabled the subscription. `events` has patterns, separated by a
-- space. `url_set_by` is the id of an API key, which may no longer exist.
CREATE TABLE webhook_subscriptions (
    id BLOB NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    url_set_by BLOB,
    secret BLOB,
    previous_secret BLOB,
    previous_secret_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    PRIMARY KEY (owner_issuer, owner_subject, id),
    CONSTRAINT webhook_subscriptions_id_unique UNIQUE (id)
) STRICT;

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
    subscription_id BLOB NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, pattern, subscription_id)
) STRICT, WITHOUT ROWID;

-- The queue of each subscription, and the state of its receiver. `ready_at` is when the lane next needs service; lanes
-- take turns by it. It is NULL when nothing is queued. `owner` is the number of the owner, which never changes. A closed lane needs service while it has deliveries to end.
CREATE TABLE webhook_lanes (
    subscription_id BLOB NOT NULL PRIMARY KEY,
    owner INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    ready_at INTEGER,
    failures_in_a_row INTEGER NOT NULL,
    failing_since INTEGER,
    paused_until INTEGER,
    pause_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The order in which lanes are served. A claim passes over lanes of owners without room, and reads only the index for it.
CREATE INDEX webhook_lanes_ready ON webhook_lanes (is_open, ready_at, owner);

-- The lanes that fail, for operators. A lane that works is not in the index.
CREATE INDEX webhook_lanes_failing ON webhook_lanes (failing_since, subscription_id)
    WHERE is_open AND failing_since IS NOT NULL;

-- Has at most one row: a known text, encrypted under the ENCRYPTION_KEY that the secrets are encrypted under, so that a
-- process with another key does not start (decision 57).
CREATE TABLE encryption_checks (
    id INTEGER NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL
) STRICT;
