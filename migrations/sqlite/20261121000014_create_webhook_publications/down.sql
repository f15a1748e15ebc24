DROP TABLE webhook_publications;
