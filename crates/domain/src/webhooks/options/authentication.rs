use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::form_urlencoded::byte_serialize;
use zeroize::Zeroizing;

use super::client_credentials::{ClientCredentials, InvalidClientCredentials};
use super::header_name::{HeaderName, InvalidHeaderName};
use super::header_value::{HeaderValue, InvalidHeaderValue};
use crate::named::named;
use crate::webhooks::InvalidTargetUrl;

named! {
    /// The authentication of the service at a receiver.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum AuthKind: as_str, parse {
        /// By a token in the header `authorization` (RFC 6750).
        Bearer = "bearer",
        /// By a user name and a password in the header `authorization` (RFC 7617).
        Basic = "basic",
        /// By another header.
        Header = "header",
        /// By an access token in the header `authorization`, which the service gets as a client (RFC 6749, section
        /// 4.4).
        OAuth2 = "oauth2",
    }
}

/// Which part of an authentication is not valid, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAuthentication {
    /// The token.
    #[error("must have 1 to {} visible ASCII characters, without spaces", Authentication::TOKEN_LENGTH_MAX)]
    Token,
    /// The user name.
    #[error(
        "must have 1 to {} ASCII characters, no control characters and no colon",
        Authentication::USERNAME_LENGTH_MAX
    )]
    Username,
    /// The password.
    #[error("must have at most {} ASCII characters, no control characters", Authentication::PASSWORD_LENGTH_MAX)]
    Password,
    /// The name of the header.
    #[error(transparent)]
    Name(#[from] InvalidHeaderName),
    /// The value of the header.
    #[error(transparent)]
    Value(#[from] InvalidHeaderValue),
    /// The token endpoint.
    #[error(transparent)]
    TokenUrl(#[from] InvalidTargetUrl),
    /// The credentials of the client.
    #[error(transparent)]
    Client(#[from] InvalidClientCredentials),
}

impl InvalidAuthentication {
    /// The name that the API gives the part.
    pub const fn part(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Username => "username",
            Self::Password => "password",
            Self::Name(_) => "name",
            Self::Value(_) => "value",
            Self::TokenUrl(_) => "tokenUrl",
            Self::Client(client) => client.part(),
        }
    }
}

/// An authentication: the header by which a receiver recognizes the service. With [`AuthKind::OAuth2`], the value is the
/// text of [`ClientCredentials`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authentication {
    /// Which kind it is.
    pub kind: AuthKind,
    /// The name of the header.
    pub name: HeaderName,
    /// The value of the header.
    pub value: HeaderValue,
}

impl Authentication {
    /// The longest token, in characters.
    pub const TOKEN_LENGTH_MAX: usize = 1_024;
    /// The tokens that [`Authentication::bearer`] accepts, apart from their length.
    pub const TOKEN_PATTERN: &str = "^[!-~]+$";
    /// The longest user name, in characters.
    pub const USERNAME_LENGTH_MAX: usize = 256;
    /// The user names that [`Authentication::basic`] accepts, apart from their length.
    pub const USERNAME_PATTERN: &str = "^[ -9;-~]+$";
    /// The longest password, in characters.
    pub const PASSWORD_LENGTH_MAX: usize = 512;
    /// The passwords that [`Authentication::basic`] accepts, apart from their length.
    pub const PASSWORD_PATTERN: &str = "^[ -~]*$";

    /// The header `authorization` with this token.
    ///
    /// # Errors
    ///
    /// [`InvalidAuthentication::Token`].
    pub fn bearer(token: &str) -> Result<Self, InvalidAuthentication> {
        let is_token = is_printable(token, Self::TOKEN_LENGTH_MAX) && !token.is_empty() && !token.contains(' ');
        let header = Zeroizing::new(format!("Bearer {token}"));
        if is_token { Ok(Self::authorization(AuthKind::Bearer, &header)) } else { Err(InvalidAuthentication::Token) }
    }

    /// The header `authorization` with this user name and this password.
    ///
    /// # Errors
    ///
    /// [`InvalidAuthentication::Username`] or [`InvalidAuthentication::Password`].
    pub fn basic(username: &str, password: &str) -> Result<Self, InvalidAuthentication> {
        if !is_printable(username, Self::USERNAME_LENGTH_MAX) || username.is_empty() || username.contains(':') {
            return Err(InvalidAuthentication::Username);
        }
        if !is_printable(password, Self::PASSWORD_LENGTH_MAX) {
            return Err(InvalidAuthentication::Password);
        }
        Ok(Self::authorization(AuthKind::Basic, &basic_credentials(username, password)))
    }

    /// A header of the receiver's own.
    ///
    /// # Errors
    ///
    /// [`InvalidAuthentication::Name`] or [`InvalidAuthentication::Value`].
    pub fn header(name: &str, value: &str) -> Result<Self, InvalidAuthentication> {
        let (name, value) = (HeaderName::parse_of_credential(name)?, HeaderValue::parse(value)?);
        Ok(Self { kind: AuthKind::Header, name, value })
    }

    /// An access token, which the service gets with these credentials.
    pub fn oauth2(credentials: &ClientCredentials) -> Self {
        Self::authorization(AuthKind::OAuth2, &credentials.to_text())
    }

    fn authorization(kind: AuthKind, value: &str) -> Self {
        Self { kind, name: HeaderName::authorization(), value: HeaderValue::of(value) }
    }
}

/// The value of the header `authorization` for a client of OAuth 2.0. Both parts are encoded as in a form first
/// (RFC 6749, section 2.3.1).
pub fn basic_of_client(client_id: &str, client_secret: &str) -> Zeroizing<String> {
    let encoded = |text: &str| Zeroizing::new(byte_serialize(text.as_bytes()).collect::<String>());
    basic_credentials(&encoded(client_id), &encoded(client_secret))
}

fn basic_credentials(username: &str, password: &str) -> Zeroizing<String> {
    let pair = Zeroizing::new(format!("{username}:{password}"));
    Zeroizing::new(format!("Basic {}", *Zeroizing::new(STANDARD.encode(&*pair))))
}

fn is_printable(text: &str, length_max: usize) -> bool {
    text.len() <= length_max && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(auth: &Authentication) -> (&str, &str) {
        (auth.name.as_str(), auth.value.expose())
    }

    #[test]
    fn each_kind_is_a_header() {
        let bearer = Authentication::bearer("t0ken").unwrap();
        assert_eq!(shown(&bearer), ("authorization", "Bearer t0ken"));
        // The example of RFC 7617.
        let basic = Authentication::basic("Aladdin", "open sesame").unwrap();
        assert_eq!(shown(&basic), ("authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
        let header = Authentication::header("X-Api-Key", "k 1").unwrap();
        assert_eq!(shown(&header), ("x-api-key", "k 1"));
        for kind in AuthKind::ALL {
            assert_eq!(AuthKind::parse(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn the_password_of_a_client_is_encoded_twice() {
        let basic = basic_of_client("my client", "a:b%ü");
        let decoded = STANDARD.decode(basic.strip_prefix("Basic ").unwrap()).unwrap();
        assert_eq!(decoded, b"my+client:a%3Ab%25%C3%BC");
    }

    #[test]
    fn names_the_part_that_is_wrong() {
        let long = "x".repeat(1_025);
        for (wrong, part) in [
            (Authentication::bearer(""), "token"),
            (Authentication::bearer("a b"), "token"),
            (Authentication::bearer("a\n"), "token"),
            (Authentication::bearer(&long), "token"),
            (Authentication::basic("", "p"), "username"),
            (Authentication::basic("a:b", "p"), "username"),
            (Authentication::basic("ä", "p"), "username"),
            (Authentication::basic(&long[..257], "p"), "username"),
            (Authentication::basic("a", "\t"), "password"),
            (Authentication::basic("a", &long[..513]), "password"),
            (Authentication::header("host", "v"), "name"),
            (Authentication::header("x-key", " v"), "value"),
        ] {
            assert_eq!(wrong.map(|_| "").map_err(InvalidAuthentication::part), Err(part));
        }
        assert!(Authentication::bearer(&long[..1_024]).is_ok());
        assert!(Authentication::basic(&long[..256], &long[..512]).is_ok() && Authentication::basic("a", "").is_ok());
    }
}
