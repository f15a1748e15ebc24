DELETE FROM webhook_deliveries WHERE ended = 'missed';
DROP INDEX webhook_deliveries_missed;
