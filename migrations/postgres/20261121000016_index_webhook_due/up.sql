-- The order in which the deliveries of a lane leave. Every row is in the index. The condition is there because a
-- look-up by the primary key has no condition on `phase`: so a planner that last saw the table empty, when all indexes
-- look equal, cannot use this index for the look-up (decision 38).
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE phase >= 0;
