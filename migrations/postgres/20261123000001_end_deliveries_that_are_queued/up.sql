-- Deliveries that have ended and are queued: a process that was found gone, and lived, ended them after their claim was
-- taken away (decision 105). Their end stays.
DELETE FROM webhook_due AS due USING webhook_deliveries AS ended
WHERE ended.subscription_id = due.subscription_id AND ended.id = due.delivery_id;
