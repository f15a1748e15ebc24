-- The text form of RFC 6749, section 3.3: sorted, each once, one space between two. The default is for the rows that
-- are there, and for an instance of an older version that still inserts some.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
