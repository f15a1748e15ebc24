DROP INDEX webhook_due_sequence;
ALTER TABLE webhook_due DROP COLUMN sequence;
ALTER TABLE webhook_lanes DROP COLUMN last_sequence;
