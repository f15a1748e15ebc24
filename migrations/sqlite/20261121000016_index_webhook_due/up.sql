-- The order in which the deliveries of a lane leave, and the order in which its claims end. A claim moves a row from
-- the first index to the second.
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE claim IS NULL;

CREATE INDEX webhook_due_claims ON webhook_due (subscription_id, due_at) WHERE claim IS NOT NULL;
