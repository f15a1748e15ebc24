use std::sync::Arc;

use super::scopes::Scopes;
use crate::ActiveApiKey;

/// Whose API key a request came with: what a handler finds in the request's extensions. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(Arc<Identity>);

#[derive(Debug, PartialEq, Eq)]
struct Identity {
    user_id: String,
    issuer: String,
    key_id: String,
    label: String,
    scopes: Scopes,
}

impl Caller {
    pub(super) fn of(key: ActiveApiKey) -> Self {
        let ActiveApiKey { user_id, issuer, key_id, label, scopes, .. } = key;
        Self(Arc::new(Identity { user_id, issuer, key_id, label, scopes: Scopes::parse(&scopes.join(" ")) }))
    }

    /// The user whose key it is: the subject of their ID tokens.
    pub fn user_id(&self) -> &str {
        &self.0.user_id
    }

    /// The identity provider that knows the user.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The key's id: not a secret, and good for logs.
    pub fn key_id(&self) -> &str {
        &self.0.key_id
    }

    /// What the user called the key.
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// What the key may be used for.
    pub fn scopes(&self) -> &Scopes {
        &self.0.scopes
    }

    /// Whether the key has this scope, for what a handler decides itself.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|held| held == scope)
    }
}
