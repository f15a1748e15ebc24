-- The deliveries that a recovery sends because their subscription was disabled when the event was published (decision 143).
CREATE INDEX webhook_deliveries_missed ON webhook_deliveries (subscription_id, id) WHERE ended = 'missed';
