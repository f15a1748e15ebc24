-- How often a key was verified, and how attempts at a subscription's deliveries ended, by the hour (decision 76). `hour`
-- counts the hours since 1970. It comes first, so that the rows that are written together are neighbours.
CREATE TABLE usage_by_hour (
    hour INTEGER NOT NULL,
    key_id BLOB NOT NULL,
    good INTEGER NOT NULL,
    limited INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    PRIMARY KEY (hour, key_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries_by_hour (
    hour INTEGER NOT NULL,
    subscription_id BLOB NOT NULL,
    delivered INTEGER NOT NULL,
    retried INTEGER NOT NULL,
    exhausted INTEGER NOT NULL,
    PRIMARY KEY (hour, subscription_id)
) STRICT, WITHOUT ROWID;
