use std::time::Duration;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::credential::PortalUrl;
use crate::{Client, Error, Owner};

/// A portal link to make.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPortalLink {
    #[serde(flatten)]
    owner: Owner,
    #[serde(skip_serializing_if = "Option::is_none")]
    capabilities: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
}

impl NewPortalLink {
    /// A link for the user with this id (the `sub` of the user's ID tokens), which permits changes of keys and
    /// webhooks.
    pub fn for_user(user_id: impl Into<String>) -> Self {
        Self::for_owner(Owner::User(user_id.into()))
    }

    /// As [`NewPortalLink::for_user`], for a user or an organization.
    pub fn for_owner(owner: Owner) -> Self {
        Self { owner, capabilities: None, return_url: None, ttl_seconds: None }
    }

    /// Sets the rights of the visit: `keys`, `keys:read`, `webhooks`, `webhooks:read`.
    #[must_use]
    pub fn with_capabilities(self, capabilities: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { capabilities: Some(capabilities.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the page of your application to which the console leads back.
    #[must_use]
    pub fn returning_to(self, url: impl Into<String>) -> Self {
        Self { return_url: Some(url.into()), ..self }
    }

    /// Sets how long the visit lasts at most, in whole seconds.
    #[must_use]
    pub fn lasting(self, time: Duration) -> Self {
        Self { ttl_seconds: Some(time.as_secs()), ..self }
    }
}

/// A link by which a user enters the console without a sign-in.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PortalLink {
    /// Where to redirect the user's browser to, at once. It works once.
    pub url: PortalUrl,
    /// When it stops working.
    pub expires_at: String,
}

/// Portal links. This call needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Makes a link by which a user whom your application has authenticated enters the console.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn create_portal_link(&self, new: &NewPortalLink) -> Result<PortalLink, Error> {
        self.call(Method::POST, "/api/operator/portal-links", Some(new)).await
    }
}
