//! Which calls there are, and what each requires of its caller. The one place that says so: the checks, the router and the
//! OpenAPI document read these tables. See decisions 47 and 116.

use actix_web::http::Method;
use domain::WebhookAccess;
use domain::audit::AuditTarget;
use domain::sessions::Capability;

use crate::credentials::operator_scope::OperatorScope;
use crate::parameters::path::PathParameters;

/// The right that an owner's call requires. An ID token has every right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// Any good credential.
    AnyCaller,
    /// To see keys. An API key never has this right.
    SeeKeys,
    /// To change keys. The ID token may be in the body. An API key never has this right.
    ChangeKeys,
    /// To see webhooks: a scope of an API key, or a capability of a session.
    SeeWebhooks,
    /// To change webhooks: the same.
    ChangeWebhooks,
    /// To see and end sessions, and to see the audit log. An API key never has this right, and a visitor neither: the user
    /// has lent it a part of an account, and not the other browsers.
    Account,
}

/// The calls that owners make.
const OWN_CALLS: [(Method, &str, Right); 31] = [
    (Method::GET, "/api/api-keys", Right::SeeKeys),
    (Method::POST, "/api/api-keys", Right::ChangeKeys),
    (Method::DELETE, "/api/api-keys", Right::ChangeKeys),
    (Method::GET, "/api/api-keys/usage", Right::SeeKeys),
    (Method::POST, "/api/api-keys/{keyId}/rotate", Right::ChangeKeys),
    (Method::GET, "/api/api-keys/{keyId}/usage", Right::SeeKeys),
    (Method::GET, "/api/audit", Right::Account),
    (Method::GET, "/api/sessions", Right::Account),
    (Method::DELETE, "/api/sessions", Right::Account),
    (Method::DELETE, "/api/sessions/{id}", Right::Account),
    (Method::GET, "/api/webhooks/subscriptions", Right::SeeWebhooks),
    (Method::POST, "/api/webhooks/subscriptions", Right::ChangeWebhooks),
    (Method::GET, "/api/webhooks/subscriptions/{id}", Right::SeeWebhooks),
    (Method::PATCH, "/api/webhooks/subscriptions/{id}", Right::ChangeWebhooks),
    (Method::DELETE, "/api/webhooks/subscriptions/{id}", Right::ChangeWebhooks),
    (Method::POST, "/api/webhooks/subscriptions/{id}/rotate-secret", Right::ChangeWebhooks),
    (Method::POST, "/api/webhooks/subscriptions/{id}/test", Right::ChangeWebhooks),
    (Method::POST, "/api/webhooks/subscriptions/{id}/recover", Right::ChangeWebhooks),
    (Method::GET, "/api/webhooks/subscriptions/{id}/recoverable", Right::SeeWebhooks),
    (Method::GET, "/api/webhooks/subscriptions/{id}/times", Right::SeeWebhooks),
    (Method::GET, "/api/webhooks/subscriptions/{id}/outcomes", Right::SeeWebhooks),
    (Method::GET, "/api/webhooks/outcomes", Right::SeeWebhooks),
    (Method::POST, "/api/webhooks/test", Right::ChangeWebhooks),
    (Method::GET, "/api/webhooks/failures", Right::SeeWebhooks),
    (Method::POST, "/api/webhooks/failures/retry", Right::ChangeWebhooks),
    (Method::GET, "/api/webhooks/deliveries", Right::SeeWebhooks),
    (Method::GET, "/api/webhooks/deliveries/stream", Right::SeeWebhooks),
    (Method::GET, "/api/webhooks/deliveries/{id}", Right::SeeWebhooks),
    (Method::POST, "/api/webhooks/deliveries/{id}/retry", Right::ChangeWebhooks),
    (Method::POST, "/api/webhooks/deliveries/{id}/cancel", Right::ChangeWebhooks),
    (Method::GET, "/api/whoami", Right::AnyCaller),
];

/// A call of an owner that an operator makes for the owner, at another path. The same endpoint answers it.
pub(crate) struct CallForOwner {
    pub(crate) method: Method,
    /// Where the owner makes the call.
    pub(crate) own_path: &'static str,
    /// Where an operator makes it.
    pub(crate) path: &'static str,
    /// Its name in the OpenAPI document.
    pub(crate) operation_id: &'static str,
    /// The target that the answer shows, for the audit log; `None` for changes, which the audit log has in any case.
    pub(crate) shows: Option<Shown>,
}

/// The target of a call with these parameters; `None` if the path has an id that is not valid.
type Shown = fn(&PathParameters) -> Option<AuditTarget>;

/// The calls that operators make for owners. All require [`OperatorScope::Support`].
pub(crate) static CALLS_FOR_OWNERS: [CallForOwner; 11] = [
    CallForOwner::show("/api/api-keys", "/api/operator/users/{userId}/keys", "listUserApiKeys", |_| {
        Some(AuditTarget::Keys)
    }),
    CallForOwner::show(
        "/api/webhooks/subscriptions",
        "/api/operator/users/{userId}/subscriptions",
        "listUserSubscriptions",
        |_| Some(AuditTarget::Subscriptions),
    ),
    CallForOwner::show(
        "/api/webhooks/subscriptions/{id}",
        "/api/operator/users/{userId}/subscriptions/{id}",
        "findUserSubscription",
        |path| path.id().ok().map(AuditTarget::Subscription),
    ),
    CallForOwner::change(
        Method::POST,
        "/api/webhooks/subscriptions/{id}/recover",
        "/api/operator/users/{userId}/subscriptions/{id}/recover",
        "recoverUserSubscription",
    ),
    CallForOwner::show(
        "/api/webhooks/deliveries",
        "/api/operator/users/{userId}/deliveries",
        "listUserDeliveries",
        |_| Some(AuditTarget::Deliveries),
    ),
    CallForOwner::show(
        "/api/webhooks/deliveries/{id}",
        "/api/operator/users/{userId}/deliveries/{id}",
        "findUserDelivery",
        |path| path.id().ok().map(AuditTarget::Delivery),
    ),
    CallForOwner::change(
        Method::POST,
        "/api/webhooks/deliveries/{id}/retry",
        "/api/operator/users/{userId}/deliveries/{id}/retry",
        "retryUserDelivery",
    ),
    CallForOwner::show("/api/webhooks/failures", "/api/operator/users/{userId}/failures", "listUserFailures", |_| {
        Some(AuditTarget::Deliveries)
    }),
    CallForOwner::change(
        Method::POST,
        "/api/webhooks/failures/retry",
        "/api/operator/users/{userId}/failures/retry",
        "retryUserFailures",
    ),
    CallForOwner::show("/api/sessions", "/api/operator/users/{userId}/sessions", "listUserSessions", |_| {
        Some(AuditTarget::Sessions)
    }),
    CallForOwner::change(Method::DELETE, "/api/sessions", "/api/operator/users/{userId}/sessions", "endUserSessions"),
];

/// The other calls of the operator API.
const OPERATOR_CALLS: [(Method, &str, OperatorScope); 14] = [
    (Method::POST, "/api/operator/introspect", OperatorScope::Verify),
    (Method::POST, "/api/operator/events", OperatorScope::Publish),
    (Method::POST, "/api/operator/events/batch", OperatorScope::Publish),
    (Method::POST, "/api/operator/leaks", OperatorScope::Support),
    (Method::GET, "/api/operator/audit", OperatorScope::Support),
    (Method::GET, "/api/operator/events", OperatorScope::Support),
    (Method::GET, "/api/operator/events/{id}", OperatorScope::Support),
    (Method::GET, "/api/operator/failing-subscriptions", OperatorScope::Support),
    (Method::GET, "/api/operator/system", OperatorScope::Support),
    (Method::GET, "/api/operator/log-filter", OperatorScope::Admin),
    (Method::POST, "/api/operator/log-filter", OperatorScope::Admin),
    (Method::POST, "/api/operator/portal-links", OperatorScope::Support),
    (Method::DELETE, "/api/operator/users/{userId}/keys", OperatorScope::Support),
    (Method::DELETE, "/api/operator/users/{userId}/keys/{keyId}", OperatorScope::Support),
];

impl Right {
    /// The right that an owner's call requires: `route` is the template of its path. `None` if owners make no such call.
    pub(crate) fn of_call(method: &Method, route: &str) -> Option<Self> {
        OWN_CALLS.iter().find(|(of, template, _)| of == method && *template == route).map(|(_, _, right)| *right)
    }

    /// Whether an API key can have the right.
    pub(crate) fn is_for_api_keys(self) -> bool {
        self == Self::AnyCaller || self.webhooks().is_some()
    }

    /// The access to webhooks, which the scopes of an API key must grant.
    pub(crate) fn webhooks(self) -> Option<WebhookAccess> {
        match self {
            Self::SeeWebhooks => Some(WebhookAccess::Read),
            Self::ChangeWebhooks => Some(WebhookAccess::Write),
            Self::AnyCaller | Self::SeeKeys | Self::ChangeKeys | Self::Account => None,
        }
    }

    /// The capability that the session of a visitor must have.
    pub(crate) fn capability(self) -> Option<Capability> {
        match self {
            Self::SeeKeys => Some(Capability::KeysRead),
            Self::ChangeKeys => Some(Capability::Keys),
            _ => self.webhooks().map(Capability::for_webhooks),
        }
    }
}

impl CallForOwner {
    const fn show(own_path: &'static str, path: &'static str, operation_id: &'static str, shown: Shown) -> Self {
        Self { method: Method::GET, own_path, path, operation_id, shows: Some(shown) }
    }

    const fn change(method: Method, own_path: &'static str, path: &'static str, operation_id: &'static str) -> Self {
        Self { method, own_path, path, operation_id, shows: None }
    }

    /// The call at this path, if it is in the table.
    pub(crate) fn find(method: &Method, route: &str) -> Option<&'static Self> {
        CALLS_FOR_OWNERS.iter().find(|call| call.method == method && call.path == route)
    }
}

impl OperatorScope {
    /// The scope that a call of the operator API requires. A call that is not in the tables requires
    /// [`OperatorScope::Admin`].
    pub(crate) fn of_call(method: &Method, route: &str) -> Self {
        Self::named_for(method, route).unwrap_or(Self::Admin)
    }

    /// The scope of a call in the tables.
    pub(crate) fn named_for(method: &Method, route: &str) -> Option<Self> {
        let of_operator = OPERATOR_CALLS.iter().find(|(of, template, _)| of == method && *template == route);
        let for_owner = || CallForOwner::find(method, route).map(|_| Self::Support);
        of_operator.map(|(_, _, scope)| *scope).or_else(for_owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_call_needs_the_most() {
        let of = |method, route| OperatorScope::of_call(&method, route);
        assert_eq!(of(Method::GET, "/api/operator/introspect"), OperatorScope::Admin);
        assert_eq!(of(Method::POST, "/api/operator/new"), OperatorScope::Admin);
        assert_eq!(of(Method::POST, "/api/operator/introspect"), OperatorScope::Verify);
        assert_eq!(of(Method::GET, "/api/operator/users/{userId}/deliveries/{id}"), OperatorScope::Support);
    }
}
