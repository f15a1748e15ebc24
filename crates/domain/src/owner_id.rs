use crate::patterns::NO_CONTROL;

/// The claims are not a valid user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{claim} must have 1 to {length_max} bytes and no control characters")]
pub struct InvalidOwnerId {
    claim: &'static str,
    length_max: usize,
}

/// The owner of keys, webhooks, sessions and limits: a user, by the `iss` and `sub` claims of the user's ID token, or
/// an organization of the same provider. An e-mail address is not an identity: it can change hands.
///
/// An organization is stored as a user of another issuer, which no identity provider can have. So the rules for users
/// hold for it, and a user with a `sub` equal to its id is another owner. See decision 124.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerId {
    issuer: String,
    subject: String,
}

/// The kind of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerKind {
    /// A person.
    User,
    /// A group of persons.
    Organization,
}

/// Comes before the issuer of the provider that has the organization. An issuer is a URL with a host, which this is
/// not.
const OF_ORGANIZATION: &str = "organization:";

/// An issuer that is not a URL, unlike those of identity providers, and the subject that lists for operators show.
const OF_OPERATOR: [&str; 2] = ["gatepost", "gatepost:operator"];

impl OwnerId {
    /// The longest `sub` in bytes that the `OpenID` Connect Core 1.0 specification allows (section 2).
    pub const SUBJECT_LENGTH_MAX: usize = 255;
    /// The subjects that are accepted, apart from their length.
    pub const SUBJECT_PATTERN: &str = NO_CONTROL;
    /// The longest issuer that is accepted, in bytes.
    pub const ISSUER_LENGTH_MAX: usize = 512;

    /// The user with these two claims, or the owner that is stored with them.
    ///
    /// # Errors
    ///
    /// When one of the claims is empty, is too long, or contains control characters.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Result<Self, InvalidOwnerId> {
        let owner = Self { issuer: issuer.into(), subject: subject.into() };
        check("iss", owner.provider(), Self::ISSUER_LENGTH_MAX)?;
        check("sub", &owner.subject, Self::SUBJECT_LENGTH_MAX)?;
        Ok(owner)
    }

    /// The organization of this provider with this id.
    ///
    /// # Errors
    ///
    /// When the issuer or the id cannot be those of a user.
    pub fn organization(provider: &str, id: &str) -> Result<Self, InvalidOwnerId> {
        let [_, issuer] = Self::issuers_of(provider);
        Self::new(issuer, id)
    }

    /// The issuers with which the users and the organizations of this provider are stored.
    pub fn issuers_of(provider: &str) -> [String; 2] {
        [provider.to_owned(), format!("{OF_ORGANIZATION}{provider}")]
    }

    /// The kind of the owner.
    pub fn kind(&self) -> OwnerKind {
        match self.issuer.strip_prefix(OF_ORGANIZATION) {
            Some(_) => OwnerKind::Organization,
            None => OwnerKind::User,
        }
    }

    /// The owner's own id, if the owner is a user.
    pub fn user_id(&self) -> Option<&str> {
        (self.kind() == OwnerKind::User).then_some(&self.subject)
    }

    /// The owner's own id, if the owner is an organization.
    pub fn organization_id(&self) -> Option<&str> {
        (self.kind() == OwnerKind::Organization).then_some(&self.subject)
    }

    /// The user of the same provider with this subject.
    ///
    /// # Errors
    ///
    /// When the subject is not valid.
    pub fn fellow(&self, subject: &str) -> Result<Self, InvalidOwnerId> {
        Self::new(self.provider(), subject)
    }

    /// The issuer of the identity provider that knows the owner.
    pub fn provider(&self) -> &str {
        self.issuer.strip_prefix(OF_ORGANIZATION).unwrap_or(&self.issuer)
    }

    /// The owner of the operator's things: the [webhook](crate::webhooks::OperatorWebhook) and the log. No identity
    /// provider can name it.
    pub fn of_operator() -> Self {
        let [issuer, subject] = OF_OPERATOR.map(str::to_owned);
        Self { issuer, subject }
    }

    /// Whether this is [`OwnerId::of_operator`].
    pub fn is_of_operator(&self) -> bool {
        [self.issuer.as_str(), self.subject.as_str()] == OF_OPERATOR
    }

    /// The `iss` claim of a user, or for an organization a prefix and the issuer of its provider.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The `sub` claim of a user, or the id of an organization.
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

fn check(claim: &'static str, text: &str, length_max: usize) -> Result<(), InvalidOwnerId> {
    let fits = (1..=length_max).contains(&text.len()) && !text.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(InvalidOwnerId { claim, length_max }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_limits_and_refuses_what_is_past_them() {
        let issuer = "https://id.example";
        assert!(OwnerId::new(issuer, "a".repeat(255)).is_ok());
        for subject in [String::new(), "a".repeat(256), "a\0b".into(), "a\nb".into()] {
            assert!(OwnerId::new(issuer, subject.as_str()).is_err(), "{subject:?}");
        }
        assert!(OwnerId::new("", "alice").is_err());
        assert!(OwnerId::new("x".repeat(513), "alice").is_err());
        assert!(OwnerId::organization(&"x".repeat(512), "acme").is_ok());
        assert!(OwnerId::organization(&"x".repeat(513), "acme").is_err());
        assert!(OwnerId::organization("", "acme").is_err());
        assert!(OwnerId::organization(issuer, "").is_err());
    }

    #[test]
    fn an_organization_is_not_the_user_with_its_id() {
        let issuer = "https://id.example";
        let (user, organization) =
            (OwnerId::new(issuer, "acme").unwrap(), OwnerId::organization(issuer, "acme").unwrap());
        assert_ne!(user, organization);
        assert_eq!((user.kind(), organization.kind()), (OwnerKind::User, OwnerKind::Organization));
        assert_eq!((user.user_id(), user.organization_id()), (Some("acme"), None));
        assert_eq!((organization.user_id(), organization.organization_id()), (None, Some("acme")));
        assert_eq!((user.provider(), organization.provider()), (issuer, issuer));
        assert_eq!(OwnerId::new(organization.issuer(), organization.subject()).as_ref(), Ok(&organization));
    }
}
