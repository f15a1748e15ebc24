//! The rules of webhooks: where they may go, what they carry, how they are signed, and when they are tried again.
//!
//! [`sender`] is the port that an HTTP client implements. Everything else here is pure: no clock, no socket, no
//! generator of its own.

mod address_ranges;
mod attempt_outcome;
mod breaker;
mod egress_policy;
mod event_pattern;
mod event_type;
mod host_name;
mod payload;
mod retry_schedule;
mod sealed_secret;
pub mod sender;
mod signature;
mod signing_secret;
mod subscribed_events;
mod target_url;

pub use attempt_outcome::{Answer, AttemptOutcome, FailureReason, OurFault, Verdict};
pub use breaker::{Admission, Breaker, DisableReason, Pause, Report};
pub use egress_policy::{
    AddressRefused, Destination, DestinationHost, EgressPolicy, EgressPolicySettings, OwnAddresses, UrlRefused,
};
pub use event_pattern::{EventPattern, InvalidEventPattern};
pub use event_type::{EventType, InvalidEventType};
pub use host_name::{HostName, InvalidHostName};
pub use payload::{Payload, PayloadTooLarge};
pub use retry_schedule::{InvalidRetrySchedule, RetrySchedule};
pub use sealed_secret::{InvalidSealingKeys, SealedSecret, SealingKeys, UnsealError, Unsealed};
pub use signature::{SignatureHeaders, sign};
pub use signing_secret::{InvalidSigningSecret, SigningSecret};
pub use subscribed_events::{InvalidSubscribedEvents, SubscribedEvents};
pub use target_url::{InvalidTargetUrl, TargetUrl};
