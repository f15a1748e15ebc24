-- The order in which lanes are served. Lanes that sleep are not in the index. A look-up of one lane has no condition on
-- `ready_at`, so a planner that last saw the table empty cannot use this index for the look-up (decision 38).
CREATE INDEX webhook_lanes_ready ON webhook_lanes (is_open, ready_at) WHERE ready_at IS NOT NULL;
