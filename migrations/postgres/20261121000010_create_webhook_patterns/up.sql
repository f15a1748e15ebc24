-- The patterns of enabled and disabled subscriptions. To find the subscriptions of an event, publishing looks up every
-- pattern that matches the event's type, by equality.
CREATE TABLE webhook_patterns (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    pattern TEXT NOT NULL,
    subscription_id BYTEA NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, pattern, subscription_id)
);
