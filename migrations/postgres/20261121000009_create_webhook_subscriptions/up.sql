-- Deleted subscriptions stay, without their secrets, as long as the log has deliveries to them. `status` is `enabled`,
-- `disabled_by_owner`, or the reason why the service disabled the subscription. `events` has patterns, separated by a
-- space.
CREATE TABLE webhook_subscriptions (
    id BYTEA NOT NULL,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    secret BYTEA,
    previous_secret BYTEA,
    previous_secret_until TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    deleted_at TIMESTAMPTZ,
    PRIMARY KEY (owner_issuer, owner_subject, id),
    CONSTRAINT webhook_subscriptions_id_unique UNIQUE (id)
);
