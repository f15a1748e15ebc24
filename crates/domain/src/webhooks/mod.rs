//! The rules of webhooks: where they may go, what they carry, how they are signed, and when they are tried again.
//!
//! [`ports`] are what storage implements, [`sender`] what an HTTP client does. [`Webhooks`] are the use cases, one file
//! each. Everything else here is pure: no clock, no socket, no generator of its own.

mod address_ranges;
mod attempt_outcome;
mod breaker;
mod cancel_delivery;
mod change_subscription;
mod create_subscription;
mod delete_subscription;
mod delivery;
mod egress_policy;
mod event;
mod event_pattern;
mod event_type;
mod find_delivery;
mod find_subscription;
mod follow_attempts;
mod host_name;
mod list_deliveries;
mod list_subscriptions;
mod payload;
pub mod ports;
mod publish_events;
mod purge_history;
mod recover_subscription;
mod reseal_secrets;
mod retry_delivery;
mod retry_schedule;
mod rotate_secret;
mod sealed_secret;
pub mod sender;
mod signature;
mod signing_secret;
mod subscribed_events;
mod subscription;
mod target_url;
mod test_subscription;
mod use_cases;
mod webhook_policy;

pub use attempt_outcome::{Answer, AttemptOutcome, FailureReason, OurFault, Verdict};
pub use breaker::{Admission, Breaker, DisableReason, Pause, Report};
pub use create_subscription::{CreateSubscription, CreateSubscriptionError, CreatedSubscription};
pub use delivery::{
    AttemptRecord, Delivery, DeliveryEnd, DeliveryFilter, DeliveryHistory, DeliveryState, DeliveryStateKind,
};
pub use egress_policy::{
    AddressRefused, Destination, DestinationHost, EgressPolicy, EgressPolicySettings, OwnAddresses, UrlRefused,
};
pub use event::{ContentDigest, Event, InvalidPublisherId, NewEvent, PublicationKey, PublisherId};
pub use event_pattern::{EventPattern, InvalidEventPattern};
pub use event_type::{EventType, InvalidEventType};
pub use find_delivery::SHOWN_ATTEMPTS_MAX;
pub use find_subscription::{DisabledBy, FoundSubscription, HealthState, PauseReason};
pub use follow_attempts::{AttemptFollower, FOLLOWED_AT_ONCE_MAX};
pub use host_name::{HostName, InvalidHostName};
pub use list_subscriptions::SubscriptionPage;
pub use payload::{Payload, PayloadTooLarge};
pub use publish_events::{PublishEvent, PublishEventsError};
pub use recover_subscription::{RECOVERED_DELIVERIES_MAX, RecoverSubscriptionError};
pub use reseal_secrets::ResealedSecrets;
pub use retry_delivery::RetryDeliveryError;
pub use retry_schedule::{InvalidRetrySchedule, RetrySchedule};
pub use rotate_secret::{RotateSecret, RotateSecretError, RotatedSecret};
pub use sealed_secret::{InvalidSealingKeys, SealedSecret, SealingKeys, UnsealError, Unsealed};
pub use signature::{SignatureHeaders, sign};
pub use signing_secret::{InvalidSigningSecret, SigningSecret};
pub use subscribed_events::{InvalidSubscribedEvents, SubscribedEvents};
pub use subscription::{
    Description, InvalidDescription, SealedSecrets, Subscription, SubscriptionChange, SubscriptionHealth,
    SubscriptionStatus,
};
pub use target_url::{InvalidTargetUrl, TargetUrl};
pub use test_subscription::{SubscriptionTest, TestSubscriptionError};
pub use use_cases::{WebhookRules, WebhookStores, Webhooks};
pub use webhook_policy::{InvalidWebhookPolicy, WebhookPolicy, WebhookPolicySettings};
