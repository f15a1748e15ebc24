-- The format of RFC 6749, section 3.3: sorted, without duplicates, separated by one space. The default is for existing
-- rows, and for rows that an instance of an older version inserts.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
