-- The deliveries that `recover` brings back.
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (subscription_id, id)
    WHERE ended IN ('schedule_spent', 'subscription_disabled');
