use crate::{Scope, Scopes};

/// What a call does with webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookAccess {
    /// It shows subscriptions, deliveries or attempts.
    Read,
    /// It changes subscriptions, or sends, retries or cancels deliveries.
    Write,
}

impl WebhookAccess {
    /// The scope that an API key needs for the call, if the key has scopes.
    pub const fn scope(self) -> &'static str {
        match self {
            Self::Read => "webhooks:read",
            Self::Write => "webhooks:write",
        }
    }

    /// Whether a key with these scopes may make the call. A key without scopes may: see decision 46. `webhooks:write`
    /// includes reading.
    pub fn is_granted_by(self, scopes: &Scopes) -> bool {
        let holds = |access: Self| scopes.iter().any(|held| held == access.scope());
        scopes.is_empty() || holds(Self::Write) || holds(self)
    }

    /// [`WebhookAccess::scope`] as a set.
    pub fn required(self) -> Scopes {
        Scope::parse(self.scope()).and_then(|scope| Scopes::new([scope])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_scopes_needs_one_of_webhooks() {
        let table = [
            ("", true, true),
            ("webhooks:read", true, false),
            ("webhooks:write", true, true),
            ("orders:read webhooks:write", true, true),
            ("orders:read", false, false),
            ("webhooks", false, false),
            ("webhooks:*", false, false),
            ("webhooks:writer", false, false),
        ];
        for (scopes, reads, writes) in table {
            let scopes = Scopes::parse(scopes).unwrap();
            assert_eq!(WebhookAccess::Read.is_granted_by(&scopes), reads, "{scopes}");
            assert_eq!(WebhookAccess::Write.is_granted_by(&scopes), writes, "{scopes}");
        }
    }

    #[test]
    fn the_required_scope_grants_the_access() {
        for access in [WebhookAccess::Read, WebhookAccess::Write] {
            assert_eq!(access.required().as_str(), access.scope());
            assert!(access.is_granted_by(&access.required()));
        }
    }
}
