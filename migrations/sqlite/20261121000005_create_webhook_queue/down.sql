DROP TABLE webhook_due;
