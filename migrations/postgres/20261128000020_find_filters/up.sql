-- For publications: in this index, they find a filter, or none, without a look at the subscription.
CREATE INDEX webhook_subscriptions_filters ON webhook_subscriptions (id) WHERE filter IS NOT NULL;
