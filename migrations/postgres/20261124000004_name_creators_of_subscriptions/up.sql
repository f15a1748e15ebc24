-- The member who created a subscription of an organization, by the subject at the identity provider (decision 122).
ALTER TABLE webhook_subscriptions ADD COLUMN created_by TEXT;
