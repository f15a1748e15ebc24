-- The catalogue of event types (decision 134): one row for each type, which is archived and never deleted. `revision` is
-- the number of the row's last change among all changes, and `version` that of its schema. `schema` is JSON as its author
-- wrote it, and `examples` a JSON array of such values. With several databases, the first one has the catalogue.
CREATE TABLE event_types (
    name TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    schema TEXT,
    examples TEXT NOT NULL,
    validation TEXT NOT NULL,
    visibility TEXT NOT NULL,
    deprecated_since TIMESTAMPTZ,
    replacement TEXT,
    archived BOOLEAN NOT NULL,
    version BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    revision BIGINT NOT NULL
);
