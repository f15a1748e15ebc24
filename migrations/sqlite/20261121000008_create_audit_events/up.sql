-- Who changed what: one row for each change, written in its transaction. `id` begins with the time. `means` is how the
-- actor proved who they are, `target` the id of what changed, and `changes` a JSON array of fields before and after.
--
-- `to_announce` is true until the operational event of the row is published (decision 89).
--
-- A list goes by one of three indexes: all rows, those of an owner, or those of a target. Other conditions are checked
-- row by row, for a bounded number of rows.
CREATE TABLE audit_events (
    id BLOB NOT NULL PRIMARY KEY,
    owner_issuer TEXT NOT NULL,
    owner_subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_issuer TEXT,
    actor_name TEXT,
    means TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    changes TEXT NOT NULL,
    request_id TEXT,
    address TEXT,
    to_announce INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_events_by_owner ON audit_events (owner_issuer, owner_subject, id);
CREATE INDEX audit_events_by_target ON audit_events (target, id);
-- For what is to be announced: few rows. No other index has this order, so the planner cannot choose another one.
CREATE INDEX audit_events_to_announce ON audit_events (action, id) WHERE to_announce;
