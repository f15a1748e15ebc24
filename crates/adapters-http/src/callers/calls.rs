//! The calls of the API, and the right that each requires of its caller. The checks, the router and the OpenAPI
//! document all read these tables. See decisions 116 and 128.

use std::borrow::Cow;

use ByOperators::{Change, Mend, Not, See};
use Right::{Account, AnyCaller, ChangeKeys, ChangeWebhooks, ConsumeEvents, SeeKeys, SeeWebhooks};
use actix_web::http::Method;
use domain::WebhookAccess;
use domain::audit::AuditTarget;
use domain::sessions::Capability;

use crate::credentials::operator_scope::OperatorScope;
use crate::errors::scim_fault::SCIM_PATHS;
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
    /// To receive and commit events that are pulled: the same.
    ConsumeEvents,
    /// To change webhooks: the same.
    ChangeWebhooks,
    /// To see and end sessions, and to see the audit log. Neither an API key nor a visitor has this right: the user has
    /// lent a visitor a part of an account, and not the other browsers.
    Account,
}

/// A call that owners make.
pub(crate) struct OwnCall {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) right: Right,
    pub(crate) by_operators: ByOperators,
}

/// How operators make an owner's call for the owner. The same endpoint answers it, at [`OwnCall::path_for_users`].
#[derive(Clone, Copy)]
pub(crate) enum ByOperators {
    /// Operators do not make it.
    Not,
    /// Operators read it. The target is recorded in the audit log before; `None` for the audit log itself, whose
    /// readers are not recorded.
    See(Option<Shown>),
    /// Operators make a change that grants no new right. The audit log has the change.
    Mend,
    /// Operators make any other change. The audit log has the change.
    Change,
}

/// The target of a call with these parameters; `None` if the path has an id that is not valid.
type Shown = fn(&PathParameters) -> Option<AuditTarget>;

const KEYS: ByOperators = See(Some(|_| Some(AuditTarget::Keys)));
const KEY: ByOperators = See(Some(|path| path.id().ok().map(AuditTarget::Key)));
const SUBSCRIPTIONS: ByOperators = See(Some(|_| Some(AuditTarget::Subscriptions)));
const SUBSCRIPTION: ByOperators = See(Some(|path| path.id().ok().map(AuditTarget::Subscription)));
const DELIVERIES: ByOperators = See(Some(|_| Some(AuditTarget::Deliveries)));
const DELIVERY: ByOperators = See(Some(|path| path.id().ok().map(AuditTarget::Delivery)));
const SESSIONS: ByOperators = See(Some(|_| Some(AuditTarget::Sessions)));

/// The calls that owners make, each with the right that it requires of the owner, and with how operators make it.
static OWN_CALLS: [OwnCall; 42] = [
    OwnCall::new(Method::GET, "/api/api-keys", SeeKeys, KEYS),
    OwnCall::new(Method::POST, "/api/api-keys", ChangeKeys, Change),
    OwnCall::new(Method::DELETE, "/api/api-keys", ChangeKeys, Not),
    OwnCall::new(Method::PATCH, "/api/api-keys/{keyId}", ChangeKeys, Change),
    OwnCall::new(Method::GET, "/api/api-keys/usage", SeeKeys, KEYS),
    OwnCall::new(Method::POST, "/api/api-keys/{keyId}/rotate", ChangeKeys, Change),
    OwnCall::new(Method::GET, "/api/api-keys/{keyId}/usage", SeeKeys, KEY),
    OwnCall::new(Method::GET, "/api/audit", Account, See(None)),
    OwnCall::new(Method::GET, "/api/event-types", AnyCaller, Not),
    OwnCall::new(Method::GET, "/api/event-types/openapi.json", AnyCaller, Not),
    OwnCall::new(Method::GET, "/api/event-types/{name}", AnyCaller, Not),
    OwnCall::new(Method::GET, "/api/sessions", Account, SESSIONS),
    OwnCall::new(Method::DELETE, "/api/sessions", Account, Mend),
    OwnCall::new(Method::DELETE, "/api/sessions/{id}", Account, Mend),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions", SeeWebhooks, SUBSCRIPTIONS),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions", ChangeWebhooks, Change),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::PATCH, "/api/webhooks/subscriptions/{id}", ChangeWebhooks, Change),
    OwnCall::new(Method::DELETE, "/api/webhooks/subscriptions/{id}", ChangeWebhooks, Change),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/rotate-secret", ChangeWebhooks, Change),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/test", ChangeWebhooks, Change),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/recover", ChangeWebhooks, Mend),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}/recoverable", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}/consumers", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::DELETE, "/api/webhooks/subscriptions/{id}/consumers/{consumer}", ConsumeEvents, Not),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/consumers/{consumer}/receive", ConsumeEvents, Not),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/consumers/{consumer}/commit", ConsumeEvents, Not),
    OwnCall::new(Method::POST, "/api/webhooks/subscriptions/{id}/consumers/{consumer}/seek", ConsumeEvents, Not),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}/events", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}/times", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::GET, "/api/webhooks/subscriptions/{id}/outcomes", SeeWebhooks, SUBSCRIPTION),
    OwnCall::new(Method::GET, "/api/webhooks/outcomes", SeeWebhooks, DELIVERIES),
    OwnCall::new(Method::POST, "/api/webhooks/test", ChangeWebhooks, Change),
    OwnCall::new(Method::POST, "/api/webhooks/filters/test", ChangeWebhooks, Change),
    OwnCall::new(Method::GET, "/api/webhooks/failures", SeeWebhooks, DELIVERIES),
    OwnCall::new(Method::POST, "/api/webhooks/failures/retry", ChangeWebhooks, Mend),
    OwnCall::new(Method::GET, "/api/webhooks/deliveries", SeeWebhooks, DELIVERIES),
    OwnCall::new(Method::GET, "/api/webhooks/deliveries/stream", SeeWebhooks, DELIVERIES),
    OwnCall::new(Method::GET, "/api/webhooks/deliveries/{id}", SeeWebhooks, DELIVERY),
    OwnCall::new(Method::POST, "/api/webhooks/deliveries/{id}/retry", ChangeWebhooks, Mend),
    OwnCall::new(Method::POST, "/api/webhooks/deliveries/{id}/cancel", ChangeWebhooks, Change),
    OwnCall::new(Method::GET, "/api/whoami", AnyCaller, Not),
];

/// The paths of keys, which are shorter in the operator API.
const API_KEYS: &str = "/api/api-keys";
/// The paths of a user in the operator API, which the tables have.
const USERS: &str = "/api/operator/users/{userId}";
/// The paths of an organization, which has the calls of a user.
const ORGANIZATIONS: &str = "/api/operator/organizations/{organizationId}";

/// The path of the same call for organizations; `None` if the call is not for one owner.
pub(crate) fn path_for_organizations(path: &str) -> Option<String> {
    path.strip_prefix(USERS).map(|rest| format!("{ORGANIZATIONS}{rest}"))
}

/// The path that the tables have for this route.
fn path_in_tables(route: &str) -> Cow<'_, str> {
    route.strip_prefix(ORGANIZATIONS).map_or(route.into(), |rest| format!("{USERS}{rest}").into())
}

/// The scopes of [`ByOperators::Mend`].
const MEND: &[OperatorScope] = &[OperatorScope::Support, OperatorScope::Manage];

/// The scopes of calls that read the catalogue of event types.
const READ_CATALOGUE: &[OperatorScope] = &[OperatorScope::Catalogue, OperatorScope::Support];

/// The other calls of the operator API. An owner revokes a key by another form, and never all keys.
static OPERATOR_CALLS: [(Method, &str, &[OperatorScope]); 24] = [
    (Method::POST, "/api/operator/introspect", &[OperatorScope::Verify]),
    (Method::POST, "/api/operator/events", &[OperatorScope::Publish]),
    (Method::POST, "/api/operator/events/batch", &[OperatorScope::Publish]),
    (Method::POST, "/api/operator/leaks", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/audit", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/events", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/events/{id}", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/event-types", READ_CATALOGUE),
    (Method::GET, "/api/operator/event-types/{name}", READ_CATALOGUE),
    (Method::PUT, "/api/operator/event-types/{name}", &[OperatorScope::Catalogue]),
    (Method::DELETE, "/api/operator/event-types/{name}", &[OperatorScope::Catalogue]),
    (Method::POST, "/api/operator/event-types/import", &[OperatorScope::Catalogue]),
    (Method::GET, "/api/operator/failing-subscriptions", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/system", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/log-filter", &[OperatorScope::Admin]),
    (Method::POST, "/api/operator/log-filter", &[OperatorScope::Admin]),
    (Method::POST, "/api/operator/portal-links", &[OperatorScope::Support]),
    (Method::GET, "/api/operator/owners", &[OperatorScope::Support]),
    (Method::GET, USERS, &[OperatorScope::Support]),
    (Method::PATCH, USERS, &[OperatorScope::Manage]),
    (Method::PUT, "/api/operator/users/{userId}/state", &[OperatorScope::Manage]),
    (Method::DELETE, USERS, &[OperatorScope::Manage]),
    (Method::DELETE, "/api/operator/users/{userId}/keys", MEND),
    (Method::DELETE, "/api/operator/users/{userId}/keys/{keyId}", MEND),
];

impl Right {
    /// The right that an owner's call requires: `route` is the template of its path. `None` if owners make no such call.
    pub(crate) fn of_call(method: &Method, route: &str) -> Option<Self> {
        OWN_CALLS.iter().find(|call| call.method == method && call.path == route).map(|call| call.right)
    }

    /// Whether an API key can have the right.
    pub(crate) fn is_for_api_keys(self) -> bool {
        self == Self::AnyCaller || self.webhooks().is_some()
    }

    /// The access to webhooks, which the scopes of an API key must grant.
    pub(crate) fn webhooks(self) -> Option<WebhookAccess> {
        match self {
            Self::SeeWebhooks => Some(WebhookAccess::Read),
            Self::ConsumeEvents => Some(WebhookAccess::Consume),
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

impl OwnCall {
    const fn new(method: Method, path: &'static str, right: Right, by_operators: ByOperators) -> Self {
        Self { method, path, right, by_operators }
    }

    /// The calls that operators make for owners.
    pub(crate) fn by_operators() -> impl Iterator<Item = &'static Self> {
        OWN_CALLS.iter().filter(|call| !matches!(call.by_operators, Not))
    }

    /// The call that operators make at this path.
    pub(crate) fn by_operators_at(method: &Method, route: &str) -> Option<&'static Self> {
        let path = path_in_tables(route).strip_prefix(USERS)?.to_owned();
        let is_it =
            |call: &&Self| call.method == method && path.strip_prefix(call.group()) == Some(call.path_in_group());
        Self::by_operators().find(is_it)
    }

    /// Where operators make the call for a user.
    pub(crate) fn path_for_users(&self) -> String {
        format!("{USERS}{}{}", self.group(), self.path_in_group())
    }

    /// The name of an operator's call in the OpenAPI document, from the name of the owner's: `listUserApiKeys` from
    /// `listApiKeys`.
    pub(crate) fn name_for_users(name: &str) -> String {
        let (verb, object) = name.split_at(name.find(char::is_uppercase).unwrap_or(name.len()));
        format!("{verb}User{object}")
    }

    /// The first part of the path behind the owner, if it differs from the owner's call.
    fn group(&self) -> &'static str {
        if self.path.starts_with(API_KEYS) { "/keys" } else { "" }
    }

    /// The other part, with a slash before it.
    fn path_in_group(&self) -> &'static str {
        let rest = [API_KEYS, "/api/webhooks", "/api"].iter().find_map(|prefix| self.path.strip_prefix(prefix));
        rest.unwrap_or(self.path)
    }
}

impl ByOperators {
    /// The scopes of which an operator token must have one.
    fn scopes(self) -> &'static [OperatorScope] {
        match self {
            Not => &[],
            See(_) => &[OperatorScope::Support],
            Mend => MEND,
            Change => &[OperatorScope::Manage],
        }
    }
}

impl OperatorScope {
    /// The scopes of which a call of the operator API requires one. A call that is not in the tables requires
    /// [`OperatorScope::Admin`].
    pub(crate) fn of_call(method: &Method, route: &str) -> &'static [Self] {
        Self::named_for(method, route).unwrap_or(&[Self::Admin])
    }

    /// The scopes of a call in the tables, or of SCIM, which has one scope for all calls.
    pub(crate) fn named_for(method: &Method, route: &str) -> Option<&'static [Self]> {
        if route.starts_with(SCIM_PATHS) {
            return Some(&[Self::Scim]);
        }
        let path = path_in_tables(route);
        let of_operator = OPERATOR_CALLS.iter().find(|(of, template, _)| of == method && *template == path);
        let for_owner = || OwnCall::by_operators_at(method, route).map(|call| call.by_operators.scopes());
        of_operator.map(|(_, _, scopes)| *scopes).or_else(for_owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_call_needs_the_most() {
        let of = |method, route| OperatorScope::of_call(&method, route);
        for (method, route, scopes) in [
            (Method::GET, "/api/operator/introspect", &[OperatorScope::Admin][..]),
            (Method::POST, "/api/operator/new", &[OperatorScope::Admin]),
            (Method::POST, "/api/operator/users/{userId}/new", &[OperatorScope::Admin]),
            (Method::GET, "/api/operator/users/{userId}/whoami", &[OperatorScope::Admin]),
            (Method::GET, "/api/operator/users/{userId}/webhooks/deliveries", &[OperatorScope::Admin]),
            (Method::POST, "/api/operator/introspect", &[OperatorScope::Verify]),
            (Method::PATCH, "/scim/v2/Users/{userId}", &[OperatorScope::Scim]),
            (Method::GET, "/scim/v2/new", &[OperatorScope::Scim]),
            (Method::GET, "/api/operator/users/{userId}/deliveries/{id}", &[OperatorScope::Support]),
            (Method::POST, "/api/operator/users/{userId}/deliveries/{id}/retry", MEND),
            (Method::POST, "/api/operator/users/{userId}/keys", &[OperatorScope::Manage]),
            (Method::POST, "/api/operator/organizations/{organizationId}/keys", &[OperatorScope::Manage]),
            (Method::DELETE, "/api/operator/organizations/{organizationId}/keys", MEND),
        ] {
            assert_eq!(of(method, route), scopes, "{route}");
        }
    }
}
