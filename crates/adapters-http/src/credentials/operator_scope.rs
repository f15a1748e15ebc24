use std::fmt;

use actix_web::http::Method;

/// What an operator token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorScope {
    /// Verify keys.
    Verify,
    /// Publish events.
    Publish,
    /// See what users have, revoke their keys and sessions, send again what failed, report leaked keys, make portal links,
    /// and read the audit log.
    Support,
    /// Every call, also those that later versions add.
    Admin,
}

/// The scope of each call of the operator API. The one place that states it: the check and the OpenAPI document read this
/// table. See decision 47.
const SCOPES: [(Method, &str, OperatorScope); 25] = [
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
    (Method::GET, "/api/operator/users/{userId}/keys", OperatorScope::Support),
    (Method::DELETE, "/api/operator/users/{userId}/keys", OperatorScope::Support),
    (Method::DELETE, "/api/operator/users/{userId}/keys/{keyId}", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/subscriptions", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/subscriptions/{id}", OperatorScope::Support),
    (Method::POST, "/api/operator/users/{userId}/subscriptions/{id}/recover", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/deliveries", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/deliveries/{id}", OperatorScope::Support),
    (Method::POST, "/api/operator/users/{userId}/deliveries/{id}/retry", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/failures", OperatorScope::Support),
    (Method::POST, "/api/operator/users/{userId}/failures/retry", OperatorScope::Support),
    (Method::GET, "/api/operator/users/{userId}/sessions", OperatorScope::Support),
    (Method::DELETE, "/api/operator/users/{userId}/sessions", OperatorScope::Support),
];

impl OperatorScope {
    /// Every scope.
    pub const ALL: [Self; 4] = [Self::Verify, Self::Publish, Self::Support, Self::Admin];

    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Publish => "publish",
            Self::Support => "support",
            Self::Admin => "admin",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// The scope that a call needs: `route` is the template of its path. A call that is not in the table needs
    /// [`OperatorScope::Admin`].
    pub(crate) fn of_call(method: &Method, route: &str) -> Self {
        Self::named_for(method, route).unwrap_or(Self::Admin)
    }

    /// The scope of a call in the table.
    pub(crate) fn named_for(method: &Method, route: &str) -> Option<Self> {
        SCOPES.iter().find(|(of, template, _)| of == method && *template == route).map(|(_, _, scope)| *scope)
    }
}

impl fmt::Display for OperatorScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_have_names() {
        for scope in OperatorScope::ALL {
            assert_eq!(OperatorScope::parse(scope.as_str()), Some(scope));
        }
        for other in ["", "Verify", "verify ", "root"] {
            assert_eq!(OperatorScope::parse(other), None, "{other:?}");
        }
    }

    #[test]
    fn an_unknown_call_needs_the_most() {
        let of = |method, route| OperatorScope::of_call(&method, route);
        assert_eq!(of(Method::GET, "/api/operator/introspect"), OperatorScope::Admin);
        assert_eq!(of(Method::POST, "/api/operator/new"), OperatorScope::Admin);
        assert_eq!(of(Method::POST, "/api/operator/introspect"), OperatorScope::Verify);
    }
}
