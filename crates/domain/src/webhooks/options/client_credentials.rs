use std::fmt;
use std::hash::{Hash, Hasher};

use zeroize::Zeroizing;

use crate::webhooks::TargetUrl;

/// Separates the parts of the stored form. No part has it.
const SEPARATOR: char = '\n';

/// Which part of [`ClientCredentials`] is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidClientCredentials {
    /// The client id.
    #[error("must have 1 to {} ASCII characters, no control characters", ClientCredentials::ID_LENGTH_MAX)]
    Id,
    /// The secret of the client.
    #[error("must have 1 to {} ASCII characters, no control characters", ClientCredentials::SECRET_LENGTH_MAX)]
    Secret,
    /// The scopes.
    #[error(
        "must have 1 to {} characters, scopes of RFC 6749 with one space between",
        ClientCredentials::SCOPE_LENGTH_MAX
    )]
    Scope,
    /// The audience.
    #[error("must have 1 to {} visible ASCII characters, without spaces", ClientCredentials::SCOPE_LENGTH_MAX)]
    Audience,
}

impl InvalidClientCredentials {
    /// The name that the API gives the part.
    pub const fn part(self) -> &'static str {
        match self {
            Self::Id => "clientId",
            Self::Secret => "clientSecret",
            Self::Scope => "scope",
            Self::Audience => "audience",
        }
    }
}

/// The client with which the service requests access tokens for a subscription, by the client credentials grant (RFC 6749,
/// section 4.4).
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The token endpoint.
    pub token_url: TargetUrl,
    /// The client.
    pub client_id: String,
    client_secret: Zeroizing<String>,
    /// The requested scopes.
    pub scope: Option<String>,
    /// The API that the token is for, at providers that require it.
    pub audience: Option<String>,
}

impl ClientCredentials {
    /// The longest client id, in characters.
    pub const ID_LENGTH_MAX: usize = 256;
    /// The longest secret, in characters.
    pub const SECRET_LENGTH_MAX: usize = 1_024;
    /// The ids and secrets that [`ClientCredentials::new`] accepts, apart from their length (RFC 6749, appendix A).
    pub const PATTERN: &str = "^[ -~]+$";
    /// The longest scope and the longest audience, in characters.
    pub const SCOPE_LENGTH_MAX: usize = 1_024;
    /// The scopes that [`ClientCredentials::new`] accepts, apart from their length.
    pub const SCOPE_PATTERN: &str = r"^[!#-\[\]-~]+( [!#-\[\]-~]+)*$";
    /// The audiences that [`ClientCredentials::new`] accepts, apart from their length.
    pub const AUDIENCE_PATTERN: &str = "^[!-~]+$";

    /// Checks the parts.
    ///
    /// # Errors
    ///
    /// The first part that is not valid.
    pub fn new(
        token_url: TargetUrl,
        (client_id, client_secret): (&str, &str),
        scope: Option<&str>,
        audience: Option<&str>,
    ) -> Result<Self, InvalidClientCredentials> {
        let is_text = |text: &str, length_max: usize, excluded: &[char]| {
            let is_printable = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
            (1..=length_max).contains(&text.len()) && is_printable && !text.contains(excluded)
        };
        let is_scope = |scope: &str| {
            is_text(scope, Self::SCOPE_LENGTH_MAX, &['"', '\\']) && scope.split(' ').all(|token| !token.is_empty())
        };
        if !is_text(client_id, Self::ID_LENGTH_MAX, &[]) {
            return Err(InvalidClientCredentials::Id);
        }
        if !is_text(client_secret, Self::SECRET_LENGTH_MAX, &[]) {
            return Err(InvalidClientCredentials::Secret);
        }
        if scope.is_some_and(|scope| !is_scope(scope)) {
            return Err(InvalidClientCredentials::Scope);
        }
        if audience.is_some_and(|audience| !is_text(audience, Self::SCOPE_LENGTH_MAX, &[' '])) {
            return Err(InvalidClientCredentials::Audience);
        }
        Ok(Self {
            token_url,
            client_id: client_id.to_owned(),
            client_secret: Zeroizing::new(client_secret.to_owned()),
            scope: scope.map(str::to_owned),
            audience: audience.map(str::to_owned),
        })
    }

    /// The secret of the client. Only sealing and the sender call this.
    pub fn expose_secret(&self) -> &str {
        &self.client_secret
    }

    /// The form that is sealed.
    pub(super) fn to_text(&self) -> Zeroizing<String> {
        let Self { token_url, client_id, client_secret, scope, audience } = self;
        let [scope, audience] = [scope, audience].map(|part| part.as_deref().unwrap_or_default());
        let parts = [token_url.as_str(), client_id, client_secret, scope, audience];
        let mut text = Zeroizing::new(String::with_capacity(parts.iter().map(|part| part.len() + 1).sum()));
        for part in parts {
            text.push_str(part);
            text.push(SEPARATOR);
        }
        text
    }

    /// The credentials in this [`ClientCredentials::to_text`]; `None` if it is none.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        let mut parts = text.split_terminator(SEPARATOR);
        let mut next = || parts.next();
        let (token_url, client_id, client_secret) = (TargetUrl::from_stored(next()?)?, next()?, next()?);
        let [scope, audience] = [next()?, next()?].map(|part| Some(part).filter(|part| !part.is_empty()));
        Self::new(token_url, (client_id, client_secret), scope, audience).ok()
    }
}

impl Hash for ClientCredentials {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.token_url, &self.client_id).hash(state);
    }
}

/// Shows no secret.
impl fmt::Debug for ClientCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ClientCredentials").field("token_url", &self.token_url).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token_url() -> TargetUrl {
        TargetUrl::from_stored("https://id.example/token?a=b").unwrap()
    }

    fn new(id: &str, secret: &str, scope: &str, audience: &str) -> Result<ClientCredentials, &'static str> {
        let [scope, audience] = [scope, audience].map(|part| Some(part).filter(|part| !part.is_empty()));
        ClientCredentials::new(token_url(), (id, secret), scope, audience).map_err(InvalidClientCredentials::part)
    }

    #[test]
    fn the_sealed_form_is_read_back_and_shows_nothing() {
        for (scope, audience) in [("", ""), ("hooks:write", ""), ("", "https://api.example/"), ("a b", "c")] {
            let credentials = new("client 1", "s3cret : \\ \"", scope, audience).unwrap();
            assert_eq!(ClientCredentials::of_text(&credentials.to_text()).as_ref(), Some(&credentials));
            let shown = format!("{credentials:?}");
            assert_eq!(shown, "ClientCredentials { token_url: TargetUrl(https://id.example), .. }");
        }
        for damaged in ["", "https://id.example/\n", "https://id.example/\nid\nsecret\n\n", "no url\na\nb\n\n\n"] {
            assert_eq!(ClientCredentials::of_text(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn names_the_part_that_is_wrong() {
        let long = "x".repeat(1_025);
        for (id, secret, scope, audience, part) in [
            ("", "s", "", "", "clientId"),
            (&long[..257], "s", "", "", "clientId"),
            ("a\nb", "s", "", "", "clientId"),
            ("a", "", "", "", "clientSecret"),
            ("a", "ä", "", "", "clientSecret"),
            ("a", &long, "", "", "clientSecret"),
            ("a", "s", " b", "", "scope"),
            ("a", "s", "b  c", "", "scope"),
            ("a", "s", "\"", "", "scope"),
            ("a", "s", &long, "", "scope"),
            ("a", "s", "", "b c", "audience"),
            ("a", "s", "", &long, "audience"),
        ] {
            assert_eq!(new(id, secret, scope, audience), Err(part));
        }
        assert!(new(&long[..256], &long[..1_024], &long[..1_024], &long[..1_024]).is_ok());
    }
}
