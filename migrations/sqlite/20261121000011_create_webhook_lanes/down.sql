DROP TABLE webhook_lanes;
