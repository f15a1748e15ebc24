-- What hosts have set for owners. Only an owner with more than the defaults has a row. `number` is the number of the owner
-- that lanes have, `metadata` is a JSON object, and `suspended_at` is NULL for an owner who may act, and
-- `rested_until` is the end of the last suspension (decision 131). Who writes a row holds the row of the owner in
-- `key_owners`.
CREATE TABLE owners (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    number BIGINT NOT NULL,
    name TEXT,
    email TEXT,
    metadata TEXT,
    max_active_keys BIGINT,
    max_subscriptions BIGINT,
    suspended_at TIMESTAMPTZ,
    reason TEXT,
    rested_until TIMESTAMPTZ,
    PRIMARY KEY (owner_issuer, owner_subject)
);

-- For claims, which pass over the lanes of suspended owners, and count schedules from the end of a suspension.
CREATE INDEX owners_number ON owners (number);
