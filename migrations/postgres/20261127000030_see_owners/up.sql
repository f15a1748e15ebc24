-- When a user signed in last, to a day, and when a user who stays away is suspended (decision 141). NULL while nobody counts
-- absences, and until a suspension is announced.
ALTER TABLE owners ADD COLUMN seen_at TIMESTAMPTZ;
ALTER TABLE owners ADD COLUMN suspends_at TIMESTAMPTZ;
