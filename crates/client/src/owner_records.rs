use std::collections::BTreeMap;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::patch::Changes;
use crate::rest_client::{NO_BODY, path_for_host};
use crate::{Client, Error, Owner};

/// What the host has set for a user or an organization.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OwnerRecord {
    /// The name, for people; `None` if none is set.
    pub name: Option<String>,
    /// The e-mail address, for people; `None` if none is set.
    pub email: Option<String>,
    /// Pairs for the application; empty if there are none.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The most active keys; `None` if the maximum of the service holds.
    pub max_active_keys: Option<u32>,
    /// The most subscriptions; `None` if the maximum of the service holds.
    pub max_subscriptions: Option<u32>,
    /// Whether the owner may act.
    pub state: OwnerState,
}

/// Whether an owner may act.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct OwnerState {
    /// `active` or `suspended`.
    pub state: String,
    /// Why the owner is suspended; `None` if no reason was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When the owner was suspended; `None` for an active owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// Changes of an owner's record. Whatever is not set stays, and `None` is the default again.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OwnerChange(Changes);

impl OwnerChange {
    /// Sets the name, for people.
    #[must_use]
    pub fn name(self, name: Option<String>) -> Self {
        Self(self.0.setting("name", name))
    }

    /// Sets the e-mail address, for people.
    #[must_use]
    pub fn email(self, email: Option<String>) -> Self {
        Self(self.0.setting("email", email))
    }

    /// Sets a pair for the application, or removes the name with `None`.
    #[must_use]
    pub fn metadata(self, name: impl Into<String>, value: Option<String>) -> Self {
        Self(self.0.setting_metadata(name.into(), value))
    }

    /// Sets the most active keys. A lower maximum ends no key.
    #[must_use]
    pub fn max_active_keys(self, max: Option<u32>) -> Self {
        Self(self.0.setting("maxActiveKeys", max))
    }

    /// Sets the most subscriptions. A lower maximum ends no subscription.
    #[must_use]
    pub fn max_subscriptions(self, max: Option<u32>) -> Self {
        Self(self.0.setting("maxSubscriptions", max))
    }
}

#[derive(Serialize)]
struct Wanted<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

/// The records of owners. These calls need an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// What the host has set for the owner; the defaults for an owner of whom the service knows nothing. The owner sees
    /// this call in the audit log. It needs the scope `support`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_owner(&self, owner: &Owner) -> Result<OwnerRecord, Error> {
        self.call(Method::GET, &path_for_host(owner, "/api"), NO_BODY).await
    }

    /// Changes the record and returns it. It needs the scope `manage`.
    ///
    /// # Errors
    ///
    /// Code `invalid_field` if a value is not allowed. Otherwise see [`Error`].
    pub async fn change_owner(&self, owner: &Owner, change: &OwnerChange) -> Result<OwnerRecord, Error> {
        self.call(Method::PATCH, &path_for_host(owner, "/api"), Some(change)).await
    }

    /// Suspends the owner: keys and sessions are refused, and deliveries wait. An owner who is suspended already keeps the
    /// time and the reason. It needs the scope `manage`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn suspend_owner(&self, owner: &Owner, reason: Option<&str>) -> Result<OwnerRecord, Error> {
        self.set_state(owner, &Wanted { state: "suspended", reason }).await
    }

    /// Makes a suspended owner active again, which undoes exactly the suspension. It needs the scope `manage`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn activate_owner(&self, owner: &Owner) -> Result<OwnerRecord, Error> {
        self.set_state(owner, &Wanted { state: "active", reason: None }).await
    }

    async fn set_state(&self, owner: &Owner, wanted: &Wanted<'_>) -> Result<OwnerRecord, Error> {
        self.call(Method::PUT, &path_for_host(owner, "/api/state"), Some(wanted)).await
    }
}
