-- In which order the deliveries of a lane leave, and until when its claims hold: a claim moves a row from one to the other.
CREATE INDEX webhook_due_order ON webhook_due (subscription_id, phase, due_at) WHERE claim IS NULL;

CREATE INDEX webhook_due_claims ON webhook_due (subscription_id, due_at) WHERE claim IS NOT NULL;
