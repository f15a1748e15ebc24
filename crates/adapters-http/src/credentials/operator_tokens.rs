use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::credentials::operator_scope::OperatorScope;

/// A token that opens the operator API. Kept as a SHA-256 digest, so that the token is never printed and a comparison
/// takes the same time for every value.
#[derive(Clone)]
pub struct OperatorToken {
    name: Arc<str>,
    scopes: Vec<OperatorScope>,
    digest: [u8; 32],
}

impl OperatorToken {
    /// A token with these scopes. The log shows the name.
    pub fn new(name: &str, scopes: Vec<OperatorScope>, token: &str) -> Self {
        Self { name: name.into(), scopes, digest: digest(token) }
    }

    /// The name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Whether the token may make calls that need this scope.
    pub(crate) fn allows(&self, scope: OperatorScope) -> bool {
        self.scopes.contains(&scope) || self.scopes.contains(&OperatorScope::Admin)
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OperatorToken({})", self.name)
    }
}

/// All tokens that open the operator API. Without any, the operator API is off.
#[derive(Clone, Debug, Default)]
pub struct OperatorTokens(Vec<OperatorToken>);

impl OperatorTokens {
    /// These tokens. If two have the same value, the first counts.
    pub fn new(tokens: Vec<OperatorToken>) -> Self {
        Self(tokens)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The token with this value. Compares with every token, so that the time does not show which one matches.
    pub(crate) fn find(&self, presented: &str) -> Option<&OperatorToken> {
        let presented = digest(presented);
        self.0.iter().rev().fold(None, |found, token| {
            let is_it: bool = token.digest.ct_eq(&presented).into();
            if is_it { Some(token) } else { found }
        })
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_only_itself_and_says_nothing() {
        let scopes = vec![OperatorScope::Verify];
        let tokens = OperatorTokens::new(vec![
            OperatorToken::new("checker", scopes, "operator-secret"),
            OperatorToken::new("all", vec![OperatorScope::Admin], "another-secret"),
            OperatorToken::new("late", vec![OperatorScope::Admin], "operator-secret"),
        ]);
        assert_eq!(&**tokens.find("operator-secret").unwrap().name(), "checker");
        assert_eq!(&**tokens.find("another-secret").unwrap().name(), "all");
        for other in ["", "operator-secre", "operator-secret ", "Operator-secret", "operator-secret,another-secret"] {
            assert!(tokens.find(other).is_none(), "{other:?}");
        }
        let shown = format!("{tokens:?}");
        assert!(shown.contains("checker") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_scope_allows_itself_and_admin_allows_all() {
        let token = |scopes: &[OperatorScope]| OperatorToken::new("x", scopes.to_vec(), "x");
        for scope in OperatorScope::ALL {
            assert!(token(&[OperatorScope::Admin]).allows(scope));
            for held in OperatorScope::ALL {
                assert_eq!(
                    token(&[held]).allows(scope),
                    held == scope || held == OperatorScope::Admin,
                    "{held} {scope}"
                );
            }
        }
        assert!(!token(&[]).allows(OperatorScope::Verify));
    }
}
