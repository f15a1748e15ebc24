-- In which order the deliveries of a lane leave. Every row is in it: the condition keeps it from being taken for a
-- look-up by the primary key, which does not speak of the phase. To a planner who last saw the table empty both look alike.
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE phase >= 0;
