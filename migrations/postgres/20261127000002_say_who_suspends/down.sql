ALTER TABLE owners DROP COLUMN suspended_by;
