DROP TABLE encryption_checks;
DROP TABLE webhook_lanes;
DROP TABLE webhook_patterns;
DROP TABLE webhook_subscriptions;
