-- The options of a subscription that few use: JSON whose members are named by the options, with values that are secret
-- sealed. NULL without any (decision 132).
ALTER TABLE webhook_subscriptions ADD COLUMN options TEXT;
