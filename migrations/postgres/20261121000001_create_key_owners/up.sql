-- One row for each owner of keys. A transaction that adds a key locks the row before it counts the owner's keys
-- (decision 18).
CREATE TABLE key_owners (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject)
);
