use domain::ports::{DeliveryLog, DeliveryQueue, EventStore, SubscriptionStore};

/// The four ports of webhooks, which are one store.
pub trait WebhookStore: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog {}

impl<Store: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog> WebhookStore for Store {}
