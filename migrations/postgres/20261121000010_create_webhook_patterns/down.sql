DROP TABLE webhook_patterns;
