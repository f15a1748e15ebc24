use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::credentials::operator_scope::OperatorScope;

/// A token that opens the operator API. Kept as a SHA-256 digest, so that the token is never printed and a comparison
/// takes the same time for every value.
#[derive(Clone, PartialEq, Eq)]
pub struct OperatorToken {
    name: Arc<str>,
    scopes: Vec<OperatorScope>,
    digest: [u8; 32],
}

impl OperatorToken {
    /// The form that [`OperatorToken::parse`] accepts.
    pub const FORMAT: &str = "name:scope+scope:token, such as billing:publish:TOKEN. Each name is there once and has 1 to \
                              32 of a-z 0-9 _ and -. The scopes are verify, publish, support, manage, catalogue, scim \
                              and admin. A token has at least 32 visible ASCII characters";
    /// The tokens that [`OperatorToken::is_strong`] accepts.
    pub const STRONG: &str = "at least 32 visible ASCII characters without a comma";
    const LENGTH_MIN: usize = 32;
    const NAME_LENGTH_MAX: usize = 32;

    /// A token with these scopes. The log shows the name.
    pub fn new(name: &str, scopes: Vec<OperatorScope>, token: &str) -> Self {
        Self { name: name.into(), scopes, digest: digest(token) }
    }

    /// Parses `name:scope+scope:token`. The token may contain colons.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(':')?;
        let (scopes, token) = rest.split_once(':')?;
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        let is_name = (1..=Self::NAME_LENGTH_MAX).contains(&name.len()) && name.bytes().all(is_plain);
        let scopes = scopes.split('+').map(OperatorScope::parse).collect::<Option<Vec<_>>>()?;
        (is_name && Self::is_strong(token)).then(|| Self::new(name, scopes, token))
    }

    /// Whether a token is long enough and allowed in a header. A comma separates two tokens, so no token has one.
    pub fn is_strong(token: &str) -> bool {
        token.len() >= Self::LENGTH_MIN && token.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
    }

    /// The name.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Whether the token may make calls that need one of these scopes.
    pub(crate) fn allows(&self, one_of: &[OperatorScope]) -> bool {
        self.scopes.iter().any(|scope| *scope == OperatorScope::Admin || one_of.contains(scope))
    }
}

/// The form of [`OperatorToken::parse`], without the token.
impl fmt::Display for OperatorToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scopes: Vec<&str> = self.scopes.iter().map(|scope| scope.as_str()).collect();
        write!(formatter, "{}:{}:***", self.name, scopes.join("+"))
    }
}

impl fmt::Debug for OperatorToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OperatorToken({})", self.name)
    }
}

/// All tokens that open the operator API. Without any, the operator API is off. Clones are the same tokens, which can be
/// replaced while they are used.
#[derive(Clone, Debug, Default)]
pub struct OperatorTokens(Arc<RwLock<Vec<Arc<OperatorToken>>>>);

impl OperatorTokens {
    /// These tokens; `None` if two have the same name. If two have the same value, the first counts.
    pub fn named(tokens: Vec<OperatorToken>) -> Option<Self> {
        let names: BTreeSet<&Arc<str>> = tokens.iter().map(|token| &token.name).collect();
        let is_unique = names.len() == tokens.len();
        is_unique.then(|| Self::of(tokens.into_iter().map(Arc::new).collect()))
    }

    fn of(tokens: Vec<Arc<OperatorToken>>) -> Self {
        Self(Arc::new(RwLock::new(tokens)))
    }

    /// These tokens and one more, called `operator`, with all scopes. It counts before a named token with the same value.
    #[must_use]
    pub fn and_admin(&self, token: &str) -> Self {
        let admin = OperatorToken::new("operator", vec![OperatorScope::Admin], token);
        let mut tokens = self.all();
        tokens.insert(0, Arc::new(admin));
        Self::of(tokens)
    }

    /// The tokens.
    pub fn all(&self) -> Vec<Arc<OperatorToken>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Accepts these tokens from now on, and no others. Returns whether they differ from the ones before.
    pub fn replace(&self, other: &Self) -> bool {
        let (other, mut tokens) = (other.all(), self.0.write().unwrap_or_else(PoisonError::into_inner));
        let differ = *tokens != other;
        *tokens = other;
        differ
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The token with this value. Compares with every token, so that the time does not show which one matches.
    pub(crate) fn find(&self, presented: &str) -> Option<Arc<OperatorToken>> {
        let presented = digest(presented);
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = tokens.iter().rev().fold(None, |found, token| {
            let is_it: bool = token.digest.ct_eq(&presented).into();
            if is_it { Some(token) } else { found }
        });
        found.map(Arc::clone)
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
        let tokens = OperatorTokens::named(vec![
            OperatorToken::new("checker", scopes, "operator-secret"),
            OperatorToken::new("late", vec![OperatorScope::Admin], "operator-secret"),
        ]);
        let tokens = tokens.unwrap().and_admin("another-secret");
        assert_eq!(&**tokens.find("operator-secret").unwrap().name(), "checker");
        assert_eq!(&**tokens.find("another-secret").unwrap().name(), "operator");
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
            assert!(token(&[OperatorScope::Admin]).allows(&[scope]));
            for held in OperatorScope::ALL {
                let is_allowed = held == scope || held == OperatorScope::Admin;
                assert_eq!(token(&[held]).allows(&[scope]), is_allowed, "{held} {scope}");
            }
        }
        assert!(!token(&[]).allows(&[OperatorScope::Verify]));
        assert!(token(&[OperatorScope::Manage]).allows(&[OperatorScope::Support, OperatorScope::Manage]));
    }
}
