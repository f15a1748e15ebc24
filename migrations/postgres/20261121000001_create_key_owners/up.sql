-- One row for each owner of keys. Whoever counts an owner's keys in order to add one locks this row first.
CREATE TABLE key_owners (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject)
);
