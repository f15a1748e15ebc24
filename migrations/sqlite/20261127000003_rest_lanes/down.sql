ALTER TABLE webhook_lanes DROP COLUMN rests_until;
