use crate::patterns::NO_CONTROL;

/// The claims are not a valid user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{claim} must have 1 to {length_max} bytes and no control characters")]
pub struct InvalidUserId {
    claim: &'static str,
    length_max: usize,
}

/// A user, by the `iss` and `sub` claims of the user's ID token. An e-mail address is not an identity: it can change
/// hands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId {
    issuer: String,
    subject: String,
}

/// An issuer that is not a URL, as those of identity providers are, and the subject that lists for operators show.
const OF_OPERATOR: [&str; 2] = ["gatepost", "gatepost:operator"];

impl UserId {
    /// The longest `sub` in bytes that the `OpenID` Connect Core 1.0 specification allows (section 2).
    pub const SUBJECT_LENGTH_MAX: usize = 255;
    /// The subjects that are accepted, apart from their length.
    pub const SUBJECT_PATTERN: &str = NO_CONTROL;
    /// The longest issuer that is accepted, in bytes.
    pub const ISSUER_LENGTH_MAX: usize = 512;

    /// The user with these two claims.
    ///
    /// # Errors
    ///
    /// When one of the claims is empty, is too long, or contains control characters.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Result<Self, InvalidUserId> {
        let user = Self { issuer: issuer.into(), subject: subject.into() };
        check("iss", &user.issuer, Self::ISSUER_LENGTH_MAX)?;
        check("sub", &user.subject, Self::SUBJECT_LENGTH_MAX)?;
        Ok(user)
    }

    /// The owner of what belongs to the operator: the [webhook](crate::webhooks::OperatorWebhook) and the log. No identity
    /// provider can name it.
    pub fn of_operator() -> Self {
        let [issuer, subject] = OF_OPERATOR.map(str::to_owned);
        Self { issuer, subject }
    }

    /// Whether this is [`UserId::of_operator`].
    pub fn is_of_operator(&self) -> bool {
        [self.issuer.as_str(), self.subject.as_str()] == OF_OPERATOR
    }

    /// The `iss` claim.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The `sub` claim.
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

fn check(claim: &'static str, text: &str, length_max: usize) -> Result<(), InvalidUserId> {
    let fits = (1..=length_max).contains(&text.len()) && !text.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(InvalidUserId { claim, length_max }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_limits_and_refuses_what_is_past_them() {
        let issuer = "https://id.example";
        assert!(UserId::new(issuer, "a".repeat(255)).is_ok());
        for subject in [String::new(), "a".repeat(256), "a\0b".into(), "a\nb".into()] {
            assert!(UserId::new(issuer, subject.as_str()).is_err(), "{subject:?}");
        }
        assert!(UserId::new("", "alice").is_err());
        assert!(UserId::new("x".repeat(513), "alice").is_err());
    }
}
