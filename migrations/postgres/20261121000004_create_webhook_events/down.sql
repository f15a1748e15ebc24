DROP TABLE webhook_publications;
DROP TABLE webhook_periods;
DROP TABLE webhook_events;
