-- What may change of a key after its creation: JSON with `metadata`, `rateLimit` and `disabledAt` (Unix milliseconds), each
-- only if it is set. NULL if none is: so the row of a plain key is as long as before (decision 127).
ALTER TABLE api_keys ADD COLUMN settings TEXT;
