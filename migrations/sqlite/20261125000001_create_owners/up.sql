-- What hosts have set for owners. Only an owner with more than the defaults has a row. `number` is the number of the owner
-- that lanes have, `metadata` is a JSON object, `suspended_at` (Unix milliseconds) is NULL for an owner who may act, and
-- `rested_until` is the end of the last suspension (decision 131).
CREATE TABLE owners (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT,
    email TEXT,
    metadata TEXT,
    max_active_keys INTEGER,
    max_subscriptions INTEGER,
    suspended_at INTEGER,
    reason TEXT,
    rested_until INTEGER,
    PRIMARY KEY (owner_issuer, owner_subject)
) STRICT;

-- For claims, which pass over the lanes of suspended owners, and count schedules from the end of a suspension.
CREATE INDEX owners_number ON owners (number);
