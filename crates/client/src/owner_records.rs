use std::collections::BTreeMap;

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::patch::Changes;
use crate::rest_client::{NO_BODY, path_for_host, query};
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
    /// How often each key may be used, such as `100/s`; `None` if the limit of the service holds.
    pub key_rate_limit: Option<String>,
    /// How often the owner may call; `None` if the limit of the service holds.
    pub request_rate_limit: Option<String>,
    /// Whether the owner may act.
    pub state: OwnerState,
    /// The last sign-in of the user, up to a day late; `None` for organizations, and if the service does not record it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<String>,
    /// The announced time at which the user is suspended, without a sign-in before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspends_at: Option<String>,
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

/// A user or an organization in a list.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedOwner {
    /// `user` or `organization`.
    pub kind: String,
    /// The id: the `sub` of a user.
    pub id: String,
    /// What the host has set.
    #[serde(flatten)]
    pub record: OwnerRecord,
    /// How many keys are active: at most 1,000.
    pub active_keys: u32,
    /// How many subscriptions are enabled: at most 1,000.
    pub enabled_subscriptions: u32,
    /// How many of these failed at their last attempt.
    pub failing_subscriptions: u32,
}

/// Which owners to list. All filters are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnerQuery {
    /// How the id, the name, the e-mail address or a key begins.
    pub query: Option<String>,
    /// `active` or `suspended`.
    pub state: Option<String>,
    /// The `next_cursor` of the previous page, which must have had the same query and state.
    pub cursor: Option<String>,
    /// The size of the page, 1 to 200; `None` means 50.
    pub limit: Option<u32>,
}

/// A page of owners. A page can be short or even empty without being the last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OwnerPage {
    /// The owners.
    pub owners: Vec<ListedOwner>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
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

    /// Sets how often each key may be used, such as `100/s`.
    #[must_use]
    pub fn key_rate_limit(self, limit: Option<String>) -> Self {
        Self(self.0.setting("keyRateLimit", limit))
    }

    /// Sets how often the owner may call, with all credentials together, such as `6000/m`.
    #[must_use]
    pub fn request_rate_limit(self, limit: Option<String>) -> Self {
        Self(self.0.setting("requestRateLimit", limit))
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
    /// A page of the users and organizations who have a record, a key or a webhook. It needs the scope `support`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_owners(&self, wanted: &OwnerQuery) -> Result<OwnerPage, Error> {
        let limit = wanted.limit.map(|limit| limit.to_string());
        let query = query(&[
            ("query", wanted.query.as_deref()),
            ("state", wanted.state.as_deref()),
            ("cursor", wanted.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ]);
        self.call(Method::GET, &format!("/api/operator/owners{query}"), NO_BODY).await
    }

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

    /// Erases the owner: suspends it at once, for good, and deletes its keys, webhooks and deliveries within minutes. Returns
    /// the record, whose state is `erasing`. It cannot be undone. It needs the scope `manage`.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn erase_owner(&self, owner: &Owner) -> Result<OwnerRecord, Error> {
        let (Owner::User(id) | Owner::Organization(id)) = owner;
        let confirmed = query(&[("confirm", Some(id))]);
        self.call(Method::DELETE, &format!("{}{confirmed}", path_for_host(owner, "/api")), NO_BODY).await
    }

    async fn set_state(&self, owner: &Owner, wanted: &Wanted<'_>) -> Result<OwnerRecord, Error> {
        self.call(Method::PUT, &path_for_host(owner, "/api/state"), Some(wanted)).await
    }
}
