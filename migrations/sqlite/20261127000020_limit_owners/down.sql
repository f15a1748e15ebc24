ALTER TABLE owners DROP COLUMN request_rate_limit;
ALTER TABLE owners DROP COLUMN key_rate_limit;
