mod access;
mod attempt_stream;
mod deliveries;
pub(crate) mod dispatcher;
pub(crate) mod failing_webhooks;
mod outcomes;
mod recovery;
mod signing_secrets;
pub(crate) mod subscriptions;
