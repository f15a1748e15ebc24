-- What enabled and disabled subscriptions ask for: an event finds them by equality with every pattern that matches it.
CREATE TABLE webhook_patterns (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    pattern TEXT NOT NULL,
    subscription_id BYTEA NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, pattern, subscription_id)
);
