use std::collections::BTreeMap;
use std::sync::Arc;

use super::scopes::Scopes;
use crate::{ActiveApiKey, Owner};

/// The API key of a request and its owner. Handlers find it in the request's extensions. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(Arc<Identity>);

#[derive(Debug, PartialEq, Eq)]
struct Identity {
    key: ActiveApiKey,
    scopes: Scopes,
}

impl Caller {
    pub(super) fn of(key: ActiveApiKey) -> Self {
        let scopes = Scopes::parse(&key.scopes.join(" "));
        Self(Arc::new(Identity { key, scopes }))
    }

    /// The user or the organization that owns the key.
    pub fn owner(&self) -> &Owner {
        &self.0.key.owner
    }

    /// The member of the organization that created the key, by the `sub`. The key does not act for this user.
    pub fn created_by(&self) -> Option<&str> {
        self.0.key.created_by.as_deref()
    }

    /// The identity provider of the owner.
    pub fn issuer(&self) -> &str {
        &self.0.key.issuer
    }

    /// The key's id. It is not a secret, so logs may contain it.
    pub fn key_id(&self) -> &str {
        &self.0.key.key_id
    }

    /// The label of the key.
    pub fn label(&self) -> &str {
        &self.0.key.label
    }

    /// The scopes of the key.
    pub fn scopes(&self) -> &Scopes {
        &self.0.scopes
    }

    /// Whether the key has this scope, for a decision inside a handler.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|held| held == scope)
    }

    /// The pairs that your application attached to the key.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.key.metadata
    }
}
