DROP INDEX webhook_lanes_ready;
