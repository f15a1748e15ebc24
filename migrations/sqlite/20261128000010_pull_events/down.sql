DROP TABLE webhook_consumers;
DROP TABLE webhook_pulled;
ALTER TABLE webhook_lanes DROP COLUMN is_pulled;
