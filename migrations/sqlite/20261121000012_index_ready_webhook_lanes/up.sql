CREATE INDEX webhook_lanes_ready ON webhook_lanes (is_open, ready_at);
