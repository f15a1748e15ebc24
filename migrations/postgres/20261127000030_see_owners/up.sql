-- The last sign-in of a user, up to a day late, and the announced time of a suspension (decision 141).
ALTER TABLE owners ADD COLUMN seen_at TIMESTAMPTZ;
ALTER TABLE owners ADD COLUMN suspends_at TIMESTAMPTZ;
