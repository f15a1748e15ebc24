DROP TABLE webhook_claimers;
DROP TABLE webhook_due;
