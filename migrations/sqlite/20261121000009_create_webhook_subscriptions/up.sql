-- Deleted subscriptions stay, without their secrets, as long as the log has deliveries to them. `status` is `enabled`,
-- `disabled_by_owner`, or the reason why the service disabled the subscription. `events` has patterns, separated by a
-- space.
CREATE TABLE webhook_subscriptions (
    id BLOB NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
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
CREATE INDEX webhook_subscriptions_deleted ON webhook_subscriptions (id) WHERE deleted_at IS NOT NULL;
