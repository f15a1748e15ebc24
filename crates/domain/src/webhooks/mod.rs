//! The rules of webhooks: their targets, their content, their signatures, and the times of their attempts.
//!
//! [`Webhooks`] has the use cases. All other code here is pure: it reads no clock, opens no socket and draws no
//! randomness. The ports that stores and HTTP clients implement are in [`crate::ports`].

mod deliveries;
mod egress;
mod events;
mod filters;
mod options;
mod pulls;
mod queue;
mod signing;
mod subscriptions;
mod use_cases;
mod webhook_policy;

pub use deliveries::answer_headers::AnswerHeaders;
pub use deliveries::attempt_outcome::{Answer, AttemptOutcome, OurFault, Verdict};
pub use deliveries::attempt_record::AttemptRecord;
pub use deliveries::attempt_times::{AttemptTimes, TIMED_ATTEMPTS_MAX};
pub use deliveries::delivery::{Delivery, DeliveryHistory, ListedDelivery, SHOWN_ATTEMPTS_MAX};
pub use deliveries::delivery_filter::DeliveryFilter;
pub use deliveries::delivery_state::{DeliveryEnd, DeliveryState, DeliveryStateKind};
pub use deliveries::failed_delivery::{FailedDelivery, FailureCause};
pub use deliveries::failure_reason::FailureReason;
pub use deliveries::follow_attempts::{AttemptFollower, FOLLOWED_AT_ONCE_MAX};
pub use deliveries::list_failures::{FAILURES_MAX, FailureGroup, Failures};
pub use deliveries::outcome_counts::{OutcomeCounts, SubscriptionOutcomes};
pub use deliveries::recoverable::{Recoverable, RecoveryFilter};
pub use deliveries::retry_delivery::RetryDeliveryError;
pub use deliveries::retry_failures::RetryFailuresError;
pub use egress::egress_policy::OwnAddresses;
pub use egress::egress_policy::{
    AddressRefused, Destination, DestinationHost, EgressPolicy, EgressPolicySettings, UrlRefused,
};
pub use egress::host_name::{HostName, InvalidHostName};
pub use egress::target_url::{InvalidTargetUrl, TargetUrl};
pub use events::event::{Event, NewEvent};
pub use events::event_filter::EventFilter;
pub use events::event_pattern::{EventPattern, InvalidEventPattern};
pub use events::event_type::{EventType, InvalidEventType};
pub use events::payload::{Payload, PayloadTooLarge};
pub use events::publication_key::{ContentDigest, InvalidPublisherId, PublicationKey, PublisherId};
pub use events::publish_events::{PublishEvent, PublishEventsError, Published};
pub use filters::json_document::{InvalidJson, JsonDocument};
pub use filters::parse_filter::{FilterRule, InvalidFilter};
pub use filters::payload_filter::{FilterVerdict, FilteredPayload, PayloadFilter};
pub use options::authentication::{AuthKind, Authentication, InvalidAuthentication, basic_of_client};
pub use options::client_certificate::{CertificateFacts, ClientCertificate, InvalidClientCertificate};
pub use options::client_credentials::{ClientCredentials, InvalidClientCredentials};
pub use options::header_name::{HeaderName, InvalidHeaderName};
pub use options::header_value::{HeaderValue, InvalidHeaderValue};
pub use options::on_exhausted::OnExhausted;
pub use options::options_change::{InvalidOptions, OptionsChange, RequestHeaders};
pub use options::sealed_options::{
    DroppedOptions, SealedAuth, SealedCertificate, SealedOptions, SealedOptionsChange, SealedValue,
};
pub use pulls::consumer::{Commit, Consumer, Lease, LeaseId};
pub use pulls::consumer_name::{ConsumerName, InvalidConsumerName};
pub use pulls::pull_events::{LogPlace, PULLED_BYTES_MAX, Receive, Received};
pub use queue::allotment::Allotment;
pub use queue::breaker::{Admission, Breaker, Consequences, DisableReason, HealthTurn, Pause, PauseLengths, Report};
pub use queue::claim_end::{ClaimEnd, NextStep};
pub use queue::delivery_rate::{DeliveryRate, InvalidDeliveryRate};
pub use queue::direct_claims::{DirectClaim, DirectClaims};
pub use queue::fair_shares::FairShares;
pub use queue::owner_number::OwnerNumber;
pub use queue::payload_room::PayloadRoom;
pub use queue::queued_delivery::{AfterClaim, Phase, QueuedDelivery};
pub use queue::retry_schedule::{InvalidRetrySchedule, RetrySchedule};
pub use queue::retry_wait::{InvalidRetryWait, RetryWait};
pub use signing::check_keys::{CheckKeysError, opens_check};
pub use signing::idempotency_key::{IdempotencyKey, InvalidIdempotencyKey};
pub use signing::key_pair::{PublicKey, SigningKeyPair};
pub use signing::reseal_secrets::ResealedSecrets;
pub use signing::rotate_secret::{RotateSecret, RotateSecretError};
pub use signing::sealed_secret::{SealedSecret, UnsealError, Unsealed};
pub use signing::sealed_secrets::{SealedSecrets, Signing};
pub use signing::signature::{SignatureHeaders, sign};
pub use signing::signer::{NoSharedSecret, PublicSigner, Signer, SignerWish, SigningKind};
pub use signing::signing_secret::{InvalidSigningSecret, SigningSecret};
pub use subscriptions::create_subscription::{CreateSubscription, CreateSubscriptionError, SubscriptionWithSecret};
pub use subscriptions::description::{Description, InvalidDescription};
pub use subscriptions::find_subscription::{FoundSubscription, NoPushSubscription};
pub use subscriptions::health_state::{HealthState, PauseReason, SubscriptionHealth};
pub use subscriptions::list_failing::{FailingPage, FoundFailing};
pub use subscriptions::list_subscriptions::SubscriptionPage;
pub use subscriptions::operator_webhook::OperatorWebhook;
pub use subscriptions::recover_subscription::{
    COUNTED_RECOVERABLE_MAX, RECOVERED_DELIVERIES_MAX, RecoverSubscriptionError,
};
pub use subscriptions::subscribed_events::{InvalidSubscribedEvents, SubscribedEvents};
pub use subscriptions::subscription::{DisabledBy, Subscription, SubscriptionStatus};
pub use subscriptions::subscription_change::{ChangedSubscription, SubscriptionChange};
pub use subscriptions::test_subscription::{SubscriptionTest, TestSubscriptionError};
pub use subscriptions::test_url::{TestUrlError, UrlTest};
pub use use_cases::{WebhookRules, Webhooks};
pub use webhook_policy::{InvalidWebhookPolicy, WebhookPolicy, WebhookPolicyField, WebhookPolicySettings};
