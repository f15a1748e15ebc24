-- Deliveries that have ended and are queued (decision 105). Their end stays. No version of this store made any.
DELETE FROM webhook_due WHERE EXISTS (
    SELECT 1 FROM webhook_deliveries AS ended
    WHERE ended.subscription_id = webhook_due.subscription_id AND ended.id = webhook_due.delivery_id
);
