use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, query};
use crate::{Client, Error, Owner};

/// An action with its actor, target, time and origin. Times are RFC 3339 in UTC with milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditEvent {
    /// Identifies the event.
    pub id: String,
    /// When the action took place.
    pub at: String,
    /// The action, such as `key.revoked`.
    pub action: String,
    /// The actor.
    pub actor: AuditPart,
    /// The proof of the actor's identity.
    pub via: AuditPart,
    /// The target of the action.
    pub target: AuditPart,
    /// The user to whom the target belongs; `None` if it is an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The organization to which the target belongs; `None` if it is a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization_id: Option<String>,
    /// The changes of fields that are not secret.
    pub changes: Vec<AuditChange>,
    /// The id of the request; `None` if the reader may not see it, or there was no request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The address from which the request came; `None` if the reader may not see it, or there was no request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// An actor, a credential or a target.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditPart {
    /// Its type, such as `user`, `idToken` or `apiKey`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Which one it is; `None` if there is only one, or it has no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A field before and after.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditChange {
    /// The field.
    pub field: String,
    /// The value before; `None` if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A filter for events: every field that is set must match.
#[derive(Clone, Debug, Default)]
pub struct AuditQuery {
    /// Only this action.
    pub action: Option<String>,
    /// Only actions on the key, subscription, delivery or session with this id.
    pub target: Option<String>,
    /// Only events at this time or later: RFC 3339.
    pub since: Option<String>,
    /// Only events before this time: RFC 3339.
    pub until: Option<String>,
    /// The `next_cursor` of the previous page, which must have had the same filters.
    pub cursor: Option<String>,
    /// The size of the page, 1 to 200; `None` means 50.
    pub limit: Option<u32>,
}

/// A page of events, newest first. A page can be short or even empty without being the last.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditPage {
    /// The events.
    pub events: Vec<AuditEvent>,
    /// The cursor of the next page; `None` on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The audit log.
impl Client {
    /// A page of the changes to the owner's things, with an [`IdToken`](crate::IdToken) as credential, or, for any
    /// owner, an [`OperatorToken`](crate::OperatorToken) and [`Client::for_owner`]. The page then has addresses and ids
    /// of requests too.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_audit_events(&self, wanted: &AuditQuery) -> Result<AuditPage, Error> {
        match self.host_of() {
            Some(owner) => self.list_all_audit_events(wanted, Some(owner)).await,
            None => self.list_events("/api/audit", wanted, None).await,
        }
    }

    /// A page of the changes to all owners' things, or to those of one owner, with an
    /// [`OperatorToken`](crate::OperatorToken) as credential.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn list_all_audit_events(&self, wanted: &AuditQuery, owner: Option<&Owner>) -> Result<AuditPage, Error> {
        self.list_events("/api/operator/audit", wanted, owner).await
    }

    async fn list_events(&self, path: &str, wanted: &AuditQuery, owner: Option<&Owner>) -> Result<AuditPage, Error> {
        let limit = wanted.limit.map(|limit| limit.to_string());
        let query = query(&[
            ("userId", owner.and_then(Owner::user_id)),
            ("organizationId", owner.and_then(Owner::organization_id)),
            ("action", wanted.action.as_deref()),
            ("target", wanted.target.as_deref()),
            ("since", wanted.since.as_deref()),
            ("until", wanted.until.as_deref()),
            ("cursor", wanted.cursor.as_deref()),
            ("limit", limit.as_deref()),
        ]);
        self.call(Method::GET, &format!("{path}{query}"), NO_BODY).await
    }
}
