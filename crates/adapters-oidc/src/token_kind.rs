/// The purpose of a token. Its header states it in `typ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An ID token (`OpenID` Connect Core 1.0, section 2): `typ` is absent or `JWT`.
    Id,
    /// An access token with the profile of RFC 9068: `typ` is `at+jwt` or `application/at+jwt`.
    Access,
}

impl TokenKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Id, Self::Access];

    /// The name in `OIDC_TOKENS`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Access => "access",
        }
    }

    /// The kind with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind with this `typ`. `logout+jwt` and similar types are genuine tokens for another purpose (RFC 8725 section 3.11).
    pub(crate) fn of_type(name: Option<&str>) -> Option<Self> {
        match name.map(str::to_ascii_lowercase).as_deref() {
            None | Some("jwt") => Some(Self::Id),
            Some("at+jwt" | "application/at+jwt") => Some(Self::Access),
            Some(_) => None,
        }
    }
}
