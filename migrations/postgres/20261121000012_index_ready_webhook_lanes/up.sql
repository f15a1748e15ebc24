-- In which order lanes are served. Lanes that sleep are not in it, and a look-up of one lane, which does not speak of
-- `ready_at`, is not taken for a walk through it by a planner who last saw the table empty.
CREATE INDEX webhook_lanes_ready ON webhook_lanes (is_open, ready_at) WHERE ready_at IS NOT NULL;
