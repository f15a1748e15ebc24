DROP INDEX webhook_attempts_ended;
