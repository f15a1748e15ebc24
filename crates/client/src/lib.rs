//! The Rust client of Gatepost's REST API.
//!
//! ```no_run
//! use gatepost_client::{Client, IdToken};
//!
//! # async fn example(id_token_of_the_user: String) -> Result<(), gatepost_client::Error> {
//! let user = Client::new("https://keys.example.com")?.with_credential(IdToken::new(id_token_of_the_user));
//!
//! let created = user.create_api_key("CI deploy").await?;
//! // The one time that the full key can be had: hand it to whoever uses it.
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
//! - **Credentials** are [`IdToken`], [`FullKey`] and [`OperatorToken`]: they do not print, and are wiped on drop. They go to the base
//!   URL and nowhere else: redirects are answered as errors, and proxy variables of the environment are ignored. Use
//!   `https` unless the service is on this machine.
//! - **Times** are the service's own texts, RFC 3339 in UTC with three decimals (`2026-11-21T01:42:03.120Z`). They
//!   sort as they stand, and whichever date library you use can read them; this crate brings none upon you.
//! - **Nothing is retried.** [`Error::retry_after`] says when the service asks to try again. Creating a key is not
//!   idempotent: after an [`Error::NoAnswer`], list the keys before you create again. Publishing an event is, when the
//!   event has an id of its own.
//! - A [`Client`] is cheap to clone and keeps its connections; make one and share it.
//!
//! # Features
//!
//! None is on by default.
//!
//! | feature | brings |
//! |---|---|
//! | `tower` | `tower::RequireApiKey`, a layer that protects a service of yours: axum and others |
//! | `actix` | `actix::RequireApiKey`, the same for actix-web |
//! | `protect` | `protect::KeyVerifier`, what both rest on, for any other framework |
//! | `webhooks` | `webhooks::SigningSecret`, for the receiver of webhooks |

#[cfg(feature = "actix")]
pub mod actix;
mod api_keys;
mod credential;
mod deliveries;
mod error;
mod events;
mod introspection;
mod leaks;
#[cfg(feature = "protect")]
pub mod protect;
mod rest_client;
mod subscriptions;
#[cfg(feature = "tower")]
pub mod tower;
mod user_keys;
mod webhook_secret;
#[cfg(feature = "webhooks")]
pub mod webhooks;
mod whoami;

pub use api_keys::{ApiKey, CreatedApiKey, NewApiKey};
pub use credential::{Credential, FullKey, IdToken, OperatorToken};
pub use deliveries::{Attempt, Delivery, DeliveryHistory, DeliveryPage, DeliveryQuery};
pub use error::{Error, FieldError, Problem};
pub use events::{Event, NewEvent, PublishedEvent};
pub use introspection::ActiveApiKey;
pub use rest_client::Client;
pub use subscriptions::{
    FoundSubscription, NewSubscription, Subscription, SubscriptionChange, SubscriptionHealth, SubscriptionPage,
    SubscriptionTest, SubscriptionWithSecret,
};
pub use webhook_secret::WebhookSecret;
pub use whoami::{UsedCredential, WhoAmI};
