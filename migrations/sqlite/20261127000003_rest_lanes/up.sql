-- Until when the lane of a subscription with a rate rests (decision 138). NULL without a rate. `ready_at` of an open lane is
-- not earlier, unless a claim shall look at the lane.
ALTER TABLE webhook_lanes ADD COLUMN rests_until INTEGER;
