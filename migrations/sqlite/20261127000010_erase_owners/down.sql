DROP INDEX owners_erasing;
ALTER TABLE owners DROP COLUMN erasing_since;
