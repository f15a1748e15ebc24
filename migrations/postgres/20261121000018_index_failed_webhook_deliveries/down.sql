DROP INDEX webhook_deliveries_failed;
