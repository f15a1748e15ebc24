-- Which events were published under an id of the publisher's own.
CREATE TABLE webhook_publications (
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    publisher_id TEXT NOT NULL,
    content BLOB NOT NULL,
    event_id BLOB NOT NULL,
    PRIMARY KEY (owner_issuer, owner_subject, publisher_id)
) STRICT, WITHOUT ROWID;

-- A key is forgotten with its event.
CREATE INDEX webhook_publications_event ON webhook_publications (event_id);
