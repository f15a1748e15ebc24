-- How often a key was verified, and how attempts at a subscription's deliveries ended, by the hour (decision 76). `hour`
-- counts the hours since 1970. It comes first, so that the rows that are written together are neighbours. The rows of
-- the present hour are updated again and again, on their pages (HOT), which keep some space free for that.
CREATE TABLE usage_by_hour (
    hour BIGINT NOT NULL,
    key_id BYTEA NOT NULL,
    good BIGINT NOT NULL,
    limited BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    PRIMARY KEY (hour, key_id)
) WITH (fillfactor = 70);

CREATE TABLE deliveries_by_hour (
    hour BIGINT NOT NULL,
    subscription_id BYTEA NOT NULL,
    delivered BIGINT NOT NULL,
    retried BIGINT NOT NULL,
    exhausted BIGINT NOT NULL,
    PRIMARY KEY (hour, subscription_id)
) WITH (fillfactor = 70);
