-- The newest attempts of a subscription, for its health and the stream.
CREATE INDEX webhook_attempts_ended ON webhook_attempts (subscription_id, ended_at);
