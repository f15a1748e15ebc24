ALTER TABLE owners DROP COLUMN suspends_at;
ALTER TABLE owners DROP COLUMN seen_at;
