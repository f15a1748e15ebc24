-- How often each key of an owner may be used, and how often an owner may call, such as `100/s`. NULL: the setting holds.
ALTER TABLE owners ADD COLUMN key_rate_limit TEXT;
ALTER TABLE owners ADD COLUMN request_rate_limit TEXT;
