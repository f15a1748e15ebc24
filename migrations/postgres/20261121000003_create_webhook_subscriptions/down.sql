DROP TABLE webhook_lanes;
DROP TABLE webhook_patterns;
DROP TABLE webhook_subscriptions;
