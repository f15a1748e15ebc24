use domain::ports::{DeliveryCommands, DeliveryLog, DeliveryQueue, EventStore, SubscriptionStore};

/// The five webhook ports, which one store implements.
pub trait WebhookStore: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog + DeliveryCommands {}

impl<Store: SubscriptionStore + EventStore + DeliveryQueue + DeliveryLog + DeliveryCommands> WebhookStore for Store {}
