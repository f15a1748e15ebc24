ALTER TABLE webhook_subscriptions DROP COLUMN created_by;
