//! The Rust client of Gatepost's REST API.
//!
//! ```no_run
//! use gatepost_client::{Client, IdToken};
//!
//! # async fn example(id_token_of_the_user: String) -> Result<(), gatepost_client::Error> {
//! let user = Client::new("https://keys.example.com")?.with_credential(IdToken::new(id_token_of_the_user));
//!
//! let created = user.create_api_key("CI deploy").await?;
//! // The service shows the full key only in this answer: pass it on now.
//! let machine = user.with_credential(created.key);
//! println!("{:?}", machine.whoami().await?);
//!
//! for key in user.list_api_keys().await? {
//!     println!("{} {} last used {:?}", key.prefix, key.label, key.last_used_at);
//! }
//! user.revoke_api_key(&created.key_id).await?;
//! # Ok(())
//! # }
//! ```
//!
//! - **Credentials** are [`IdToken`], [`FullKey`] and [`OperatorToken`]. They cannot be printed, and their memory is
//!   wiped on drop. The client sends them to the base URL only: it returns redirects as errors and ignores the proxy
//!   variables of the environment. Use `https` unless the service runs on the same machine.
//! - **Times** are strings as the service writes them: RFC 3339 in UTC with three decimals
//!   (`2026-11-21T01:42:03.120Z`). They sort as strings, and every date library can parse them. This crate depends on
//!   none.
//! - **The client never retries.** [`Error::retry_after`] says how long the service asks you to wait. Creating a key is
//!   not idempotent: after [`Error::NoAnswer`], list the keys before you create another. Publishing an event is
//!   idempotent if you give the event an id.
//! - A [`Client`] is cheap to clone and keeps its connections open. Create one and share it.
//!
//! # Features
//!
//! No feature is on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `tower` | `tower::RequireApiKey`, a layer that protects your service: axum and others |
//! | `actix` | `actix::RequireApiKey`, the same for actix-web |
//! | `protect` | `protect::KeyVerifier`, which both are built on, for any other framework |
//! | `webhooks` | `webhooks::SigningSecret` and `webhooks::PublicKey`, which verify webhooks that you receive |

#[cfg(feature = "actix")]
pub mod actix;
mod api_keys;
mod audit;
mod command_line_client;
mod credential;
mod deliveries;
mod error;
mod event_types;
mod events;
mod failures;
mod hours;
mod introspection;
mod log_filter;
mod operations;
mod owner;
mod owner_records;
mod patch;
mod payload_filter;
mod portal_links;
#[cfg(feature = "protect")]
pub mod protect;
mod pull;
mod rest_client;
mod sessions;
mod subscription_settings;
mod subscriptions;
#[cfg(feature = "tower")]
pub mod tower;
mod webhook_options;
#[cfg(feature = "webhooks")]
pub mod webhooks;
mod whoami;

pub use api_keys::{ApiKey, ApiKeyChange, CreatedApiKey, NewApiKey};
pub use audit::{AuditChange, AuditEvent, AuditPage, AuditPart, AuditQuery};
pub use command_line_client::CommandLineClient;
pub use credential::{Credential, FullKey, IdToken, OperatorToken, PortalUrl, WebhookSecret};
pub use deliveries::{Attempt, Delivery, DeliveryHistory, DeliveryPage, DeliveryQuery, Header};
pub use error::{Error, FieldError, Problem, SchemaFault};
pub use event_types::{
    AppliedEventType, ApplyEventTypes, EventType, EventTypeDeprecation, NewEventType, WrittenEventType,
};
pub use events::{Event, NewEvent, PublishedEvent};
pub use failures::{FailureCause, FailureGroup, Failures};
pub use hours::{AttemptTimes, DailyUses, DailyUsesOfKey, InHour, KeyUsage, KeyUsageCounts, OutcomeCounts, Outcomes};
pub use introspection::ActiveApiKey;
pub use log_filter::LogFilter;
pub use operations::{EventPage, EventQuery, FailingPage, FailingSubscription, LoggedEvent};
pub use owner::Owner;
pub use owner_records::{ListedOwner, OwnerChange, OwnerPage, OwnerQuery, OwnerRecord, OwnerState};
pub use patch::Patch;
pub use payload_filter::PayloadFilter;
pub use portal_links::{NewPortalLink, PortalLink};
pub use pull::{Consumer, PulledEvent, PulledPage, Receive, Received};
pub use rest_client::Client;
pub use sessions::Session;
pub use subscription_settings::{NewSubscription, SubscriptionChange};
pub use subscriptions::{
    ChangedSubscription, FilterVerdict, FoundSubscription, Recovery, Subscription, SubscriptionHealth,
    SubscriptionPage, SubscriptionTest, SubscriptionWithSecret, UrlTest,
};
pub use webhook_options::{SubscriptionAuth, SubscriptionCertificate, SubscriptionHeader, WebhookAuth, WebhookOptions};
pub use whoami::{UsedCredential, WhoAmI};
