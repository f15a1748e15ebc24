-- Deliveries of a subscription with an order have numbers from 1 (decision 144), and its lane has the last one. Both are NULL
-- without an order. `phase` is 3 for a delivery with a number, so that an older version claims none.
ALTER TABLE webhook_lanes ADD COLUMN last_sequence INTEGER;

ALTER TABLE webhook_due ADD COLUMN sequence INTEGER;

CREATE INDEX webhook_due_sequence ON webhook_due (subscription_id, sequence) WHERE sequence IS NOT NULL;
