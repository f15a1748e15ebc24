use crate::{Scope, Scopes};

/// Keeps a key without any other scope from webhooks: a key without scopes has full access to them.
const NO_ACCESS: &str = "webhooks:none";

/// The access of a call to webhooks. In the order of power: each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookAccess {
    /// It shows subscriptions, deliveries or attempts.
    Read,
    /// It receives and commits events that are pulled.
    Consume,
    /// It changes subscriptions, or sends, retries or cancels deliveries.
    Write,
}

impl WebhookAccess {
    /// Every access, in the order of power.
    pub const ALL: [Self; 3] = [Self::Read, Self::Consume, Self::Write];

    /// The scope that an API key needs for the call, if the key has scopes.
    pub const fn scope(self) -> &'static str {
        match self {
            Self::Read => "webhooks:read",
            Self::Consume => "webhooks:consume",
            Self::Write => "webhooks:write",
        }
    }

    /// Whether a key with these scopes may make the call. A key without scopes may: see decision 46.
    pub fn is_granted_by(self, scopes: &Scopes) -> bool {
        let holds = |access: &Self| *access >= self && scopes.iter().any(|held| held == access.scope());
        scopes.is_empty() || Self::ALL.iter().any(holds)
    }

    /// The most that a key with these scopes may do; `None` if it has no access.
    pub fn of_key(scopes: &Scopes) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|access| access.is_granted_by(scopes))
    }

    /// The scopes of a new key if its creator has the access `max`: the `wanted` ones, or without wanted ones the scope
    /// that gives the creator's access. `None` if the wanted scopes give more. See decision 106.
    pub fn limit(wanted: Scopes, max: Option<Self>) -> Option<Scopes> {
        if Self::of_key(&wanted) <= max {
            return Some(wanted);
        }
        wanted.is_empty().then(|| max.map_or_else(|| only(NO_ACCESS), Self::required))
    }

    /// [`WebhookAccess::scope`] as a set.
    pub fn required(self) -> Scopes {
        only(self.scope())
    }
}

fn only(scope: &str) -> Scopes {
    Scope::parse(scope).and_then(|scope| Scopes::new([scope])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_scopes_needs_one_of_webhooks() {
        let table = [
            ("", [true, true, true]),
            ("webhooks:read", [true, false, false]),
            ("webhooks:consume", [true, true, false]),
            ("webhooks:write", [true, true, true]),
            ("orders:read webhooks:write", [true, true, true]),
            ("orders:read", [false; 3]),
            ("webhooks", [false; 3]),
            ("webhooks:*", [false; 3]),
            ("webhooks:writer", [false; 3]),
        ];
        for (scopes, granted) in table {
            let scopes = Scopes::parse(scopes).unwrap();
            assert_eq!(WebhookAccess::ALL.map(|access| access.is_granted_by(&scopes)), granted, "{scopes}");
        }
    }

    #[test]
    fn a_new_key_may_do_what_its_creator_may_and_no_more() {
        const NOTHING: Option<WebhookAccess> = None;
        let (read, write) = (Some(WebhookAccess::Read), Some(WebhookAccess::Write));
        let table = [
            ("", [(NOTHING, Some("webhooks:none")), (read, Some("webhooks:read")), (write, Some(""))]),
            ("orders", [(NOTHING, Some("orders")), (read, Some("orders")), (write, Some("orders"))]),
            ("webhooks:none", [NOTHING, read, write].map(|max| (max, Some("webhooks:none")))),
            ("webhooks:consume", [(NOTHING, None), (read, None), (write, Some("webhooks:consume"))]),
            ("webhooks:read", [(NOTHING, None), (read, Some("webhooks:read")), (write, Some("webhooks:read"))]),
            ("orders webhooks:write", [(NOTHING, None), (read, None), (write, Some("orders webhooks:write"))]),
        ];
        for (wanted, of_creators) in table {
            for (max, expected) in of_creators {
                let limited = WebhookAccess::limit(Scopes::parse(wanted).unwrap(), max);
                assert_eq!(limited.as_ref().map(Scopes::as_str), expected, "{wanted:?} within {max:?}");
                assert!(
                    limited.is_none_or(|scopes| WebhookAccess::of_key(&scopes) <= max),
                    "{wanted:?} within {max:?}"
                );
            }
        }
    }

    #[test]
    fn the_required_scope_grants_the_access() {
        for access in WebhookAccess::ALL {
            assert_eq!(access.required().as_str(), access.scope());
            assert!(access.is_granted_by(&access.required()));
        }
    }
}
