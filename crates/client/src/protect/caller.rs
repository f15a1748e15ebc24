use std::sync::Arc;

use super::scopes::Scopes;
use crate::ActiveApiKey;

/// The API key of a request and its owner. Handlers find it in the request's extensions. Cheap to clone.
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

    /// The owner of the key: the subject of the owner's ID tokens.
    pub fn user_id(&self) -> &str {
        &self.0.user_id
    }

    /// The identity provider of the owner.
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The key's id. It is not a secret, so logs may contain it.
    pub fn key_id(&self) -> &str {
        &self.0.key_id
    }

    /// The label of the key.
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// The scopes of the key.
    pub fn scopes(&self) -> &Scopes {
        &self.0.scopes
    }

    /// Whether the key has this scope, for a decision inside a handler.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|held| held == scope)
    }
}
