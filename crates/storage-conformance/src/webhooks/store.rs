use domain::ports::{DeliveryCommands, DeliveryLog, DeliveryQueue, EventStore, SubscriptionStore};

/// The five storage ports of webhooks, which are one store.
pub trait WebhookStore: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog + DeliveryCommands {}

impl<Store: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog + DeliveryCommands> WebhookStore for Store {}
